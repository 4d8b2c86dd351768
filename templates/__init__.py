"""One folder for each target: templates laid out as the output tree."""
