"""Adapters of protocols and providers to a toolkit: definitions, calls, results."""
