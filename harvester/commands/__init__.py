"""The commands of `harvester`, one subject per file. They read options and show results; the work is elsewhere."""
