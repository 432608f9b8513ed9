"""The pages where people decide: the only face that writes, and only for users who have signed in."""
