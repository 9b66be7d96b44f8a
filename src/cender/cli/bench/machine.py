"""What a benchmark ran on."""


def describe_machine() -> dict[str, str]:
    """Version and machine, which every figure names."""
    import os
    import platform

    import cender

    system = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    return {"version": cender.__version__, "machine": f"{system}, Python {platform.python_version()}"}
