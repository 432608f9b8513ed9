"""The work of our WebSub hub that goes out: it verifies requests of subscribers, and delivers changes to them."""
