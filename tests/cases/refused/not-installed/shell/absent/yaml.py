raise ModuleNotFoundError("No module named 'yaml'", name='yaml')
