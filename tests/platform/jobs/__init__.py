"""Workers: their runs, and what happens to work that fails."""
