"""The events of a change of each kind of row, by comparing the row before and after."""
