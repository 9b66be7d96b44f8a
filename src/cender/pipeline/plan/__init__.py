"""What is to be done, from what, how long it will take, and what it came to."""
