"""Records of works in many formats, made by this project: what is known of a work, and how a format states it."""
