"""The annotation page: a server on this computer, and the page that a browser shows."""
