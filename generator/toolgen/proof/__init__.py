"""Proofs about JSON Schemas: containment of one schema in another, and values for a schema.

Containment answers "does every value that `narrow` accepts satisfy `wide`?" with a proof, with a witness (a
value that only `narrow` accepts), or with the reason why the question was not decided. Instances are
values for a schema: valid ones, realistic examples, and smaller values with one property.

The package knows JSON Schemas and nothing of tools. Commands and tests use it; the runtime never imports it.
"""
