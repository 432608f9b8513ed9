"""The audit of completeness: compare the works that Crossref lists with the stored records."""
