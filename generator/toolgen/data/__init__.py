"""Nouns: frozen values that the verbs hand to each other."""
