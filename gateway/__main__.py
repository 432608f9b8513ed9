"""Runs the program `gateway` for `python -m gateway`."""

from gateway.cli.main import main

main()
