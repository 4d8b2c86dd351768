"""Parts that know nothing of tools: files, escaping, suggestions, child processes."""
