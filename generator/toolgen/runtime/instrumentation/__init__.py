"""Log records, events and spans of calls; exceptions mapped to errors."""
