"""What happens in a workspace, told to the addresses that it names."""
