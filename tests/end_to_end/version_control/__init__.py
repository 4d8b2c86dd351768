"""Teams that share a project with git: line ends and merges."""
