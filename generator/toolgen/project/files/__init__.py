"""Files of the operating system: read, written atomically, created temporarily."""
