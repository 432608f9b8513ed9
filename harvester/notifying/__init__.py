"""Notices by e-mail or webhook: a source needs a person, or needs none any more."""
