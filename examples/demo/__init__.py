"""What toolgen is for, in a minute: `make demo`, or `python -m examples.demo`.

It walks five systems whose designs toolgen unites, one module each, with the gallery's tools. Everything is
real: the generated MCP server in a process of its own, the official MCP client, the official OpenAI client, a
SQLite database, a folder of files. Only the person who confirms and the model behind the OpenAI API are
played. What is told is checked as it is told; where something is not true, it ends with exit code 1.
"""
