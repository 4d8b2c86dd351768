"""Access tokens, scopes, and addresses that need them."""
