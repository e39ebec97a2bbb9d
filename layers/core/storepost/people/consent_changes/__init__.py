"""Changes of consent by request or import, their history, and their write-backs to stores."""
