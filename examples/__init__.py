"""Real implementations of the gallery's tools: a small bicycle shop over SQLite and a workspace folder."""
