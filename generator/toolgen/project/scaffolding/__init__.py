"""The files that `init`, `new` and `import --implement` create."""
