"""The encoder: its profile (limits, prompts), its tokenizer, vectors with reuse by text hash."""
