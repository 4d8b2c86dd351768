"""The user is asked, about what is then done, and once."""
