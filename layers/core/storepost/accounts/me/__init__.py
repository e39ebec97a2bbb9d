"""What a person does with the own account, its two-factor settings and its sessions."""
