"""The program `gateway`: its commands."""
