"""The rules. A function's docstring is the rule's page, which `toolgen explain` prints.

A rule of schemas takes each subschema that has one of its keywords; a rule of tools takes a tool. No module
imports another one.
"""
