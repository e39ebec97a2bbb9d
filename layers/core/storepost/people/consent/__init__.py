"""Marketing consent: the state of each address, who proved it, and its write-backs to stores."""
