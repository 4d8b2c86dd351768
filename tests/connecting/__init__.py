"""Entries in the configuration files of clients."""
