"""Rules of `breaking`: the table `rules.toml`, and a function for each rule that compares something itself.

A function has the name of its rule, whose page is in the table. Opposites are in one module, and no module
imports another one. `toolgen.compat.table` finds the functions in the modules that are imported here.
"""

from toolgen.compat.rules import calls as calls
from toolgen.compat.rules import confirmation as confirmation
from toolgen.compat.rules import descriptions as descriptions
from toolgen.compat.rules import project as project
from toolgen.compat.rules import results as results
