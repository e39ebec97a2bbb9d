"""Imports the named module and prints the CPU seconds of that, in a process for each module."""

import sys
from importlib import import_module
from time import process_time

if __name__ == "__main__":
    began = process_time()
    import_module(sys.argv[1])
    print(process_time() - began)
