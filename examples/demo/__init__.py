"""The demo: what toolgen does, in a minute. Run `make demo`, or `python -m examples.demo`.

It shows the five designs that toolgen brings together, one module each, with the gallery's tools.
Everything is real: the generated MCP server in its own process, the official MCP client, the official OpenAI
client, a SQLite database, a folder of files. Only the user who confirms and the model behind the OpenAI API
are simulated. All that it prints is compared with `transcript.txt`, which was reviewed; it ends with exit
code 1 if one character differs, or if something is not true that no line shows.
"""
