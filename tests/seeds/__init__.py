"""The five designs that toolgen brings together: one module each, with a test for each claim, in their order.

`claims.jsonl` has a line for each claim: its test, which quotes it, and a fault in the product that must fail
this test. `tests/mutants` makes the faults.
"""
