"""What is embedded for a chunk: its own text first, then as much context as the budget allows."""
