"""Rules of `breaking`: each module has one rule, `RULE`, and its docstring is the rule's page. A module with
several rules of one shape has `RULES` and `PAGES`.

No rule imports another one. `toolgen.compat.table` lists them all, by package.
"""
