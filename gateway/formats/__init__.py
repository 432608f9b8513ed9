"""One file per metadata format; each exports `FORMAT`. Formats know neither the store nor the web."""
