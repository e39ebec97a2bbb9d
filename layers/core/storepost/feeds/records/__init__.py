"""What a feed's rows say of products: columns to fields, text to values, why one is skipped."""
