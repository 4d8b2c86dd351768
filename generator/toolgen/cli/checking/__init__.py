"""`toolgen check`: implementations and sunsets."""
