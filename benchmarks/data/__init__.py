"""Data for benchmarks: shops, their people and their sales."""
