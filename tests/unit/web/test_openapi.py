"""Whatever is sent to the paths of the OpenAPI description, no answer is a defect (5xx)."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pytest

from cases.learning import learn_at_once

STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1.5,
    2**31,
    2**60,
    -(2**70),
    1e308,
    "",
    "x",
    "\x00",
    "ä" * 70,
    [],
    {},
    [[]],
)
ROUNDS = 12


class Drawer:
    """Draws values of a JSON schema, and now and then something else."""

    def __init__(self, description: dict[str, Any], rng: np.random.Generator) -> None:
        self.parts = description.get("components", {}).get("schemas", {})
        self.rng = rng

    def pick(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def draw(self, schema: dict[str, Any], depth: int = 0) -> Any:
        if self.rng.random() < 0.04:
            return self.pick(STRANGE)
        if "$ref" in schema:
            return self.draw(self.parts[schema["$ref"].rsplit("/", 1)[1]], depth + 1)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.draw(self.pick(schema[word]), depth + 1)
        if "const" in schema or "enum" in schema:
            return schema["const"] if "const" in schema else self.pick(schema["enum"])
        return self._draw_kind(schema, depth)

    def _draw_kind(self, schema: dict[str, Any], depth: int) -> Any:
        kind = schema.get("type")
        if kind == "object":
            needed = set(schema.get("required", ()))
            fields = schema.get("properties", {})
            return {
                name: self.draw(one, depth + 1)
                for name, one in fields.items()
                if name in needed or self.rng.random() < 0.6
            }
        if kind == "array":
            if "prefixItems" in schema:
                return [self.draw(one, depth + 1) for one in schema["prefixItems"]]
            count = 0 if depth > 9 else int(self.rng.integers(schema.get("minItems", 0), schema.get("minItems", 0) + 3))
            return [self.draw(schema.get("items", {}), depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            low, high = schema.get("minimum", -3), schema.get("maximum", 12)
            near = self.pick([low, high, 0, 1, 3, 7])
            return int(near) if kind == "integer" else float(near) + self.pick([0.0, 0.5])
        if kind == "boolean":
            return bool(self.rng.random() < 0.5)
        if kind == "null":
            return None
        return self.pick(["m0", "m3", "h1", "hand-0001", "ana", "0" * 12, "AVAL", "a b"])


def list_requests(description: dict[str, Any], rng: np.random.Generator) -> Iterator[tuple[str, str, Any]]:
    """Method, path and body of many requests to every operation, most of them right in form."""
    drawer = Drawer(description, rng)
    for path, operations in sorted(description["paths"].items()):
        for method, operation in sorted(operations.items()):
            for _ in range(ROUNDS):
                where, query = path, []
                for one in operation.get("parameters", ()):
                    value = quote(str(drawer.draw(one["schema"])), safe="")
                    if one["in"] == "path":
                        where = where.replace("{" + one["name"] + "}", value or "0")
                    elif one.get("required") or rng.random() < 0.7:
                        query.append(f"{one['name']}={value}")
                content = operation.get("requestBody", {}).get("content", {}).get("application/json")
                body = None if content is None else drawer.draw(content["schema"])
                yield method.upper(), where + ("?" + "&".join(query) if query else ""), body


def test_no_request_is_answered_by_a_defect(
    web_run: Path, tmp_path: Path, serve: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cender.web.learning._learn", learn_at_once)
    folder = tmp_path / "worm"
    shutil.copytree(web_run, folder)
    client = serve(folder)
    description = client.get("/api/openapi.json")
    assert {"/api/edits", "/api/undo", "/api/volumes/{volume}", "/api/learning"} <= set(description["paths"])
    seen: dict[int, int] = {}
    for method, path, body in list_requests(description, np.random.default_rng(5)):
        status, told, _ = client.send(method, path, body)
        seen[status] = seen.get(status, 0) + 1
        assert status < 500, (method, path, json.dumps(body), told)
    assert seen.get(200, 0) > 30, "many requests are right"
    assert seen.get(422, 0) > 10, "and many are not"
    for body in (b"", b"{", b"[]", b"\xff\xfe", b'"x"', b"1" * 5000, b'{"author": NaN}'):
        assert client.send("POST", "/api/edits", body)[0] in (400, 422)
