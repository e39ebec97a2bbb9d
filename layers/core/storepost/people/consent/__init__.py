"""Marketing consent: the state of each address, its evidence, and its write-backs to stores."""
