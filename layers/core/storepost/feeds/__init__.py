"""Product feeds: their settings, their files, their records, and their imports."""
