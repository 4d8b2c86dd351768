"""Confirmation: the question to the user before a tool acts, and tokens that prove the answer."""
