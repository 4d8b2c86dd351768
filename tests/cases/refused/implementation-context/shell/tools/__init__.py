CONTEXT = {"order": "a misspelt name", dict: {}}
