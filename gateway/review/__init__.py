"""The pages where people decide, and their accounts: no other part for the web writes."""
