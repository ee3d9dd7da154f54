"""Where rows and vectors are kept: PostgreSQL with its embedded server, Qdrant in its engines."""
