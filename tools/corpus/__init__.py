"""`make corpus`: published tools and the JSON-Schema-Test-Suite through all of toolgen."""
