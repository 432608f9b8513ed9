-- Proxies write rows of slashes as one. Items whose identifiers have such a row are found by the merged spelling too.
create index item_merged on item (
  source,
  replace(replace(replace('/' || upstream, '/', char(1) || char(2)), char(2) || char(1), ''), char(1) || char(2), '/')
) where instr('/' || upstream, '//');
