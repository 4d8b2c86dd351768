"""Rules about what a call ends with beside the schema of its response: errors, content, streams, pages."""
