"""Pure parsers of foreign answers: bytes in, values or an error of ours out. No network, no store, no clock."""
