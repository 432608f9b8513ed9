"""The frame of all pages for people: texts, style sheet, colours, charts, and how addresses and values are written."""
