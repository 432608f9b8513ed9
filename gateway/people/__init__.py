"""The people who may sign in to the review: users, their passwords, and who fails to sign in."""
