"""The face `/websub`, which hubs call: whether we meant to subscribe, and that a source has something new."""
