"""The server: what it shows, that an acknowledged edit stays, and whom it refuses."""

import shutil
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cender.io.results.annotations.log import EditLog
from cender.web.frames import keep_crops


def ticket() -> str:
    return str(uuid.uuid4())


def assign(volume: int, neuron: dict[str, Any], identity: int, **more: Any) -> dict[str, Any]:
    spot = {"volume": volume, "key": neuron["key"], "place_um": neuron["anchor_um"]}
    edit = {"kind": "assign", "spots": [spot], "identity": identity}
    return {"author": "ana", "ticket": ticket(), "edit": edit} | more


def test_run_and_volume_are_described(client: Any) -> None:
    run = client.get("/api/run")
    assert len(run["volumes"]["volume"]) == 8
    assert run["channels"] == ["red", "green"]
    volume = client.get("/api/volumes/3")
    assert all({"key", "identity", "boxes"} <= set(one) for one in volume["neurons"])
    assert client.send("GET", "/api/volumes/99")[0] == 404


def test_frames_have_the_shape_they_say(client: Any) -> None:
    for depth, size in (("8", 1), ("16", 2)):
        status, content, told = client.send("GET", f"/api/volumes/2/frames/{depth}")
        shape = [int(word) for word in told["x-cender-shape"].split(",")]
        assert status == 200
        assert len(content) == np.prod(shape) * size


def test_acknowledged_edit_is_on_disk_and_can_be_undone(client: Any, web_run: Path) -> None:
    neuron = client.get("/api/volumes/1")["neurons"][0]
    assert neuron["identity"] != 777
    message = assign(1, neuron, 777)
    status, told, _ = client.send("POST", "/api/edits", message)
    assert status == 200
    with EditLog(web_run) as log:
        assert log.state(1).marks[neuron["key"]].identity == 777
    again = client.send("POST", "/api/edits", message)[1]
    assert again["revision"] == told["revision"], "the same ticket is made once"
    client.send("POST", "/api/undo", {"author": "ana", "ticket": ticket()})
    after = {one["key"]: one for one in client.get("/api/volumes/1")["neurons"]}
    assert after[neuron["key"]]["identity"] == neuron["identity"]


def test_conflict_shows_both_sides(client: Any) -> None:
    volume = client.get("/api/volumes/2")
    neuron = volume["neurons"][1]
    assert client.send("POST", "/api/edits", assign(2, neuron, 501, author="bo"))[0] == 200
    late = assign(2, neuron, 502, base_revision=volume["revision"])
    status, told, _ = client.send("POST", "/api/edits", late)
    assert status == 409
    assert told["conflict"]["author"] == "bo"
    assert told["theirs"]["identity"] == 501


def test_copying_names_neurons(client: Any) -> None:
    before = {one["key"]: one["human"] for one in client.get("/api/volumes/4")["neurons"]}
    assert not any(before.values())
    message = {"author": "ana", "ticket": ticket(), "source": 3, "volume": 4}
    assert client.send("POST", "/api/copies", message)[0] == 200
    assert any(one["human"] for one in client.get("/api/volumes/4")["neurons"])
    assert b"volume,z_um" in client.get("/api/export")


def test_strangers_are_refused(client: Any, web_run: Path, serve: Callable[..., Any]) -> None:
    assert client.send("GET", "/api/run", Host="evil.example")[0] == 421
    assert client.send("GET", "/api/run", Origin="http://evil.example")[0] == 403
    assert client.send("POST", "/api/undo", b"{" + b" " * 2_000_000)[0] == 413
    assert client.send("GET", "/static/..%2fapp.py")[0] == 404
    assert "script-src 'self'" in client.send("GET", "/")[2]["content-security-policy"]
    locked = serve(web_run, "a-long-secret")
    assert locked.send("GET", "/api/run")[0] == 401
    assert locked.send("GET", "/static/main.js")[0] == 401
    assert locked.send("GET", "/?token=wrong-secret")[0] == 401
    status, _, told = locked.send("GET", "/?token=a-long-secret")
    assert status == 303
    assert locked.send("GET", "/api/run", Cookie=told["set-cookie"].split(";")[0])[0] == 200


def test_crops_serve_pictures_without_the_recording(web_run: Path, tmp_path: Path, serve: Callable[..., Any]) -> None:
    from cender.web.desk import Desk

    folder = tmp_path / "moved"
    shutil.copytree(web_run, folder)
    desk = Desk.open(folder)
    assert desk.frames.recording is not None
    want = desk.frames.load(2).stacks["red"]
    keep_crops(folder, desk.frames.recording, desk.frames.boxes, lambda _: None)
    settings = (folder / "run.toml").read_text(encoding="utf-8")
    (folder / "run.toml").write_text(settings.replace("recording.npz", "gone.npz"), encoding="utf-8")
    moved = Desk.open(folder)
    assert moved.frames.recording is None
    np.testing.assert_array_equal(moved.frames.load(2).stacks["red"], want)
