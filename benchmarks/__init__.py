"""What the project costs, measured beside what anybody would pay: `make bench-<name>` each."""
