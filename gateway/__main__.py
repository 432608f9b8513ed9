"""Runs the program `gateway` for `python -m gateway`."""

from gateway.cli import main

main()
