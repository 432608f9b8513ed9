"""The check of anybody's typed links against the FAIR Signposting Profile and FAIRiCat. Start with `run`.

`visits` sends requests within limits; `declared` reads links; `site` stores facts. Every other module is one group of
checks, as in the package above.
"""
