"""Calls that tests make, and what they show: answers, states, pages, sequences."""
