"""OpenAI's strict mode: closed objects whose properties are all required, made from any schema."""
