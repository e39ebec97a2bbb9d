"""What SES says became of the emails that were sent, and what follows from it."""
