"""template.yaml against the code."""
