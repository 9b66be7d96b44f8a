"""What a browser can ask for."""
