"""Coercion: turn strings that contain JSON into values if the schema leaves no doubt."""
