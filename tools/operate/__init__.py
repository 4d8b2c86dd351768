"""Run a generated server as operators do: several replicas behind nginx, watched, and killed under load."""
