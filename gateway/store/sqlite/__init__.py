"""What is SQLite alone: the file and its log, shrinking, damage, copies, and records of earlier releases."""
