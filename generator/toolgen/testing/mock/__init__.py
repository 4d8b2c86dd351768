"""Mock tools: they answer by the examples of their specs, and else with made-up values that are valid."""
