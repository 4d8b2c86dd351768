"""Import tools: read sources within limits, and write their specs, all or none."""
