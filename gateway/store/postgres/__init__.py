"""What is PostgreSQL alone: connections, the lock of writers, the clock, and the rules that rewrite SQL.

Machines share databases and locks, but not yet the files of the instance folder: all commands of a repository run on
one. A superseded record is erased when no transaction is older. A text with a NUL or half of a surrogate pair is
unknown there, and is not stored. After a week without any reader, the clock must be accepted.
"""
