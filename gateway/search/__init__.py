"""The search index: titles, people, subjects and identifiers of the living items, in a file of its own.

It is derived from the published records: whatever publishes writes it, and web workers only read it.
"""
