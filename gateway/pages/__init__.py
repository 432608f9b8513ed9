"""The pages for people: items, lists, search and sources, and the frame around them; other forms of items."""
