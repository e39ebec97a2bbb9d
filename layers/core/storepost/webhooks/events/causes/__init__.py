"""What a change of each kind of row tells, by comparing the row before and after."""
