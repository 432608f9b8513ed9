"""The harvester: everything that goes out to the network."""
