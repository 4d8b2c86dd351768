"""Text of others (specs, callers, servers, file names), escaped for each place that shows it."""
