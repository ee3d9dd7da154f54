"""The moment a question comes in: channels, fusion, collapse to parents."""
