"""The runtime's logger, redaction of secrets, and the logging set-up of processes that toolgen starts."""
