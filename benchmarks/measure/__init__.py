"""How benchmarks measure: CPU time, memory, units, prices, and their tables."""
