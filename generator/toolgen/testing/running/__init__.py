"""Run the tests of one tool: the order of calls, failures, coverage of the contract."""
