"""Our WebSub hub, which takes requests of subscribers, and the addresses that the hubs of sources call."""
