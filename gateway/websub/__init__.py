"""The addresses `/websub`, which hubs call: to verify a subscription, and to announce changes of a source."""
