"""`python -m harvester` is `harvester`."""

from harvester.cli import main

main()
