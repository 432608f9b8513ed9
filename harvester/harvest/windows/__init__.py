"""A first harvest in windows of dates: how a list is divided, what is kept of each, and the walk through them."""
