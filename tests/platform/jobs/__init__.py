"""Workers: their runs, and what becomes of what fails."""
