"""The rules, one per module. A module's docstring is the rule's page, which `toolgen explain` prints.

A rule of schemas is `check(schema, path, node)`, called for each subschema that has one of its keywords; a
rule of tools is `check(tool)`. Rules do not import each other.
"""
