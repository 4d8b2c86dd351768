"""Asking the user before a tool acts."""
