"""What is tested: sessions with a toolkit, fixtures of the project, the implementations' source."""
