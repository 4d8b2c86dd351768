"""One folder for each target: `target.yaml`, and templates laid out as the output tree."""
