"""Rules of `breaking`: each module has one rule, `RULE`, whose page is its docstring, or a table of `RULES`.

No rule imports another one. `toolgen.compat.table` lists them all, by package.
"""
