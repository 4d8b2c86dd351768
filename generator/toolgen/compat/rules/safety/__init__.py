"""Rules about what a user is asked, and what a tool may do: confirmation, scopes, secrets, annotations."""
