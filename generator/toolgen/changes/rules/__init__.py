"""Rules of `breaking`: the table `rules.toml`, and a function for each rule that compares something itself.

A function has the name of its rule, whose page is in the table. Opposites are in one module, and no module
imports another one. `toolgen.changes.table` finds the functions in all of these modules.
"""
