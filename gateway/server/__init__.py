"""The web server: one event loop per process reads and writes all connections; threads only make answers."""
