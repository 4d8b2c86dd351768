"""Frozen values that the packages above exchange."""
