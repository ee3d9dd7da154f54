"""Momentry: small-to-big retrieval. Match on the fragment, return the section."""
