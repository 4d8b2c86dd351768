"""Child processes in which the code of a project runs: its implementations are imported, or called."""
