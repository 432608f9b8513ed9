"""One file per kind of source; each exports `SOURCE`."""
