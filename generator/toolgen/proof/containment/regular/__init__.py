"""Patterns as automata: which texts match some patterns and not others.

Own code, for a comparison must be bounded by a count of steps, and no library can be told to stop:
greenery 4.2.3 and interegular 0.3.3 build whole automata (for `.*a.{12}` both were stopped after five
seconds of processor time, greenery for `[^a]{0,1000}` after three). automata-lib 9.2.0 wants each character
of the alphabet listed, and comes with networkx; pyformlang 1.0.11 comes with numpy and networkx. Here a
product of automata is explored only as far as a search gets.
"""
