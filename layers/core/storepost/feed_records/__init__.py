"""What a feed's rows say of products: columns to fields, text to values, and why a row is skipped."""
