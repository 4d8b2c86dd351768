"""Journeys: what a user types from a start to a result, run and timed. `make journeys`."""
