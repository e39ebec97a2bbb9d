"""Product feeds: where they are, their files, their records, and their imports."""
