"""How a ResourceSync source is found, and how its lists become records. Pure of the network: all is handed `fetch`."""
