"""The people of a workspace: their roles, and how they stop being members."""
