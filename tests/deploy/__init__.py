"""The files of examples/deploy, judged by the programs that read them (make test-deploy)."""
