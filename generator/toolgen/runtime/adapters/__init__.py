"""Protocols on top of the one call path: what is published, what comes in, what goes back out."""
