"""Evaluation suites: the examples with `ask`, written as tests of models for other tools to run."""
