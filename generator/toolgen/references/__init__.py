"""References between schemas: what they name, and schemas that stand by themselves."""
