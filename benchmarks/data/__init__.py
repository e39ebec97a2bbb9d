"""What benchmarks load: shops, their people and their sales."""
