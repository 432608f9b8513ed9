"""Functions that every command needs: files that stay on the disk, and durations."""
