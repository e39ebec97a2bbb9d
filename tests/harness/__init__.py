"""What tests share: the world that they drive, and the judges of a whole run."""
