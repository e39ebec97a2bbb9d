"""Connected stores."""
