"""Notices by e-mail or webhook: a source or a mirror needs a person, or needs none any more."""
