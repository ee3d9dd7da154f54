"""Readers: bytes of one file in, one `Document` with canonical text and segments out.

One module per format. `registry.read_document` sniffs the content, picks the reader and names it.
"""
