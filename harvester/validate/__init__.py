"""The strict conformance check of any OAI-PMH 2.0 provider. Start with `run`.

`client` sends requests within limits; `answer` reads answers; `repository` stores facts; `check` judges.
Every other module is one group of checks: a table of small functions, each with one reason to fail.
"""
