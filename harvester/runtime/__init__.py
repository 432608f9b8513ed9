"""What every command needs, whatever it does: files that stay on the disk, and durations."""
