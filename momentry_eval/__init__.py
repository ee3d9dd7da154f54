"""Evaluation: did parent/child help, at what price, and how sure are we."""
