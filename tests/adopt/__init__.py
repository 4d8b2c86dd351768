"""`toolgen import fastmcp`: servers are adopted, and answer as before."""
