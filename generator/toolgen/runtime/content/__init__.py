"""Images, audio, files, links and texts of a result, and their media types."""
