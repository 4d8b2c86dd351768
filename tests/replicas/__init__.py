"""Three replicas behind nginx that are rolled and killed under load (make test-replicas)."""
