"""``python -m cender``: the command line."""

from cender.cli import main

# Another process that takes over from this one imports it, and must not run it.
if __name__ == "__main__":
    main()
