"""The strict conformance check of any OAI-PMH 2.0 provider; `harvester.validate` is the door.

`conversation` asks (through the handed `fetch`, within limits), `answer` reads, `repository` remembers what was learnt,
`check` judges; every other file is one group of
checks, a table of small functions, each with one reason to fail.
"""
