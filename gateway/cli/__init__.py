"""The program `gateway`: one file per command."""
