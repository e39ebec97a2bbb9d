"""Marketing consent: what each address says, who proved it, and what the stores were told."""
