"""Rules of `breaking`: the table `rules.toml`, and a function for each rule that compares something itself.

A function has the name of its rule, whose page is in the table. Opposites are in one module, and no module
imports another one. `toolgen.changes.table` finds the functions in the modules that are imported here.
"""

from toolgen.changes.rules import calls as calls
from toolgen.changes.rules import confirmation as confirmation
from toolgen.changes.rules import descriptions as descriptions
from toolgen.changes.rules import project as project
from toolgen.changes.rules import results as results
