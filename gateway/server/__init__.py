"""The web server: connections are read and written by one event loop per process; threads only make answers."""
