"""Publishing beside the harvest: when, the wire to a process that publishes, that process, and its runners."""
