"""What benchmarks start in a process of its own."""
