"""The people who work with Storepost: identities, workspaces, members, keys, sign-in, emails."""
