"""The soak test: many calls, with faults."""
