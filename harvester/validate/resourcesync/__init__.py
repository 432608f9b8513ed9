"""The check of anybody's ResourceSync documents against ANSI/NISO Z39.99-2017 (version 1.1). Start with `run`.

`walk` visits the documents, and `documents` judges each of them as a stream. Afterwards `together` compares them.
`model` has the names and sections of all rules, and stores what was found.
"""
