"""Events of SES about the emails that were sent, and their effects."""
