"""Black-box tests of whole projects: by command line, stdio, HTTP and public names only."""
