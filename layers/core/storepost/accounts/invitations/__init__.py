"""Invitations: from the email to the membership."""
