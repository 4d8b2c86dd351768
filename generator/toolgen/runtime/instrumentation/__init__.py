"""Logs, events and spans around a call; redaction and error mapping."""
