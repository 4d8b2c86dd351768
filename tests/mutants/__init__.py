"""A test of the tests: with a fault in the product, the tests that are there for it must fail."""
