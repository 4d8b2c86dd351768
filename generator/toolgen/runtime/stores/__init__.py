"""Stores that the processes of an application share: in memory, in SQLite or in Redis."""
