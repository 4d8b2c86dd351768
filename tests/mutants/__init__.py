"""Mutation tests: with a fault in the product, the tests named for it must fail."""
