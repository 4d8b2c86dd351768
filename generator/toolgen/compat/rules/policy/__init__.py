"""Rules about versions and accepted changes, which the policy of a project asks for."""
