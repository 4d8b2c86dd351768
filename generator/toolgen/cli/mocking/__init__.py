"""The command `mock`: its server, and specs that change while it runs."""
