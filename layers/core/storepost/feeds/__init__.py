"""Product feeds: files of a store's products that are fetched again and again, and their imports."""
