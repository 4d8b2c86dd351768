"""Compare two versions of contracts: what changed, for whom it breaks, and a value that shows it.

`contract.py` has the values that are compared. Nothing here reads files of a project, runs git or talks to a
server.
"""
