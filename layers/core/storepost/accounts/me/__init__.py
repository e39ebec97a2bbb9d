"""A person's own account, its two-factor settings and its sessions."""
