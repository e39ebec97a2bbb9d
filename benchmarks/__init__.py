"""Measures the project's costs against those of a minimal solution: `make bench-<name>` each."""
