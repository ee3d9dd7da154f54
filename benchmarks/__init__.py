"""Measurements, one script a subject. Nothing here is a test."""
