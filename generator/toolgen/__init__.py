"""toolgen: one reviewed YAML file per tool; models, adapters and checks generated from it."""
