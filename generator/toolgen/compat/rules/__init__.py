"""Rules of `breaking`: each module has one rule, `RULE`, and its docstring is the rule's page.

No rule imports another one. `toolgen.compat.table` lists them all, by package.
"""
