"""Product feeds: files of a store's products that are fetched again and again."""
