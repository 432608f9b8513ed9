"""The store: one narrow door (`base`), one file per backend."""
