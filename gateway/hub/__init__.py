"""Our WebSub hub, `/hub`: it takes requests of subscribers. The harvester verifies them, and delivers."""
