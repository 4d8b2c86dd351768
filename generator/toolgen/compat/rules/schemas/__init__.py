"""Rules about the schemas of requests, responses and chunks."""
