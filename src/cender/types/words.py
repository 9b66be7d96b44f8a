"""Numbers with their nouns, for messages that people read."""


def say_count(number: int, noun: str) -> str:
    """A number with its noun, in the singular for one: ``1 identity``, ``2 identities``."""
    if number == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        return f"{number} {noun[:-1]}ies"
    return f"{number} {noun}{'es' if noun.endswith('x') else 's'}"
