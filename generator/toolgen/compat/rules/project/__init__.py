"""Rules about the settings of a project, which apply to all of its tools."""
