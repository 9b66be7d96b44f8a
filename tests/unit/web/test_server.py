"""The server: what it shows, that an acknowledged edit stays, and whom it refuses."""

import shutil
import socket
import subprocess
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cender.annotate.edits import Assign
from cender.annotate.marks import Spot
from cender.io.exchange.doors import export_file
from cender.io.results.advice import suggest_annotation
from cender.io.results.annotations.log import EditLog
from cender.web.carry import carry_identities
from cender.web.desk import Desk
from cender.web.frames import keep_crops, read_picture
from cender.web.identify import propose_names
from cender.web.serve import bind_port


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


def test_a_name_belongs_to_one_identity_and_the_page_opens_whatever_is_in_the_folder(
    web_run: Path, tmp_path: Path, serve: Callable[..., Any]
) -> None:
    folder = tmp_path / "worm"
    shutil.copytree(web_run, folder)
    client = serve(folder)

    def name(author: str, identity: int, words: str) -> tuple[int, Any]:
        edit = {"kind": "name_identity", "identity": identity, "name": words}
        return client.send("POST", "/api/edits", {"author": author, "ticket": ticket(), "edit": edit})[:2]

    assert name("ana", 3, "AVAL")[0] == 200
    for wrong, why in (("AVAL", "identities 3 and 4 are both called 'AVAL'"), ("time_s", "column"), ("12", "column")):
        status, told = name("bo", 4, wrong)
        assert status == 409
        assert why in told["detail"]
        assert str(tmp_path) not in told["detail"]
    assert name("ana", 3, "AVAR")[0] == 200
    assert name("bo", 4, "AVAL")[0] == 200
    # Taking back can still lead to two of one name: the page shows them, so that one is corrected.
    assert client.send("POST", "/api/undo", {"author": "ana", "ticket": ticket()})[0] == 200
    called = {one["identity"]: one["name"] for one in client.get("/api/run")["identities"] if one["name"]}
    assert called == {3: "AVAL", 4: "AVAL"}
    client.get("/api/queue")
    assert name("bo", 4, "AVBL")[0] == 200


def test_conflict_shows_both_sides(client: Any) -> None:
    volume = client.get("/api/volumes/2")
    neuron = volume["neurons"][1]
    assert client.send("POST", "/api/edits", assign(2, neuron, 501, author="bo"))[0] == 200
    late = assign(2, neuron, 502, base_revision=volume["revision"])
    status, told, _ = client.send("POST", "/api/edits", late)
    assert status == 409
    assert told["conflict"]["author"] == "bo"
    assert told["theirs"]["identity"] == 501


def test_edit_of_a_volume_that_the_run_lacks_is_refused(client: Any) -> None:
    before = client.get("/api/run")["revision"]
    edit = {"kind": "add_neuron", "volume": 99, "key": "h0", "centre_um": [1, 2, 3], "boxes": [], "identity": 3}
    message = {"author": "ana", "ticket": "ticket-of-volume-99", "edit": edit}
    status, told, _ = client.send("POST", "/api/edits", message)
    assert status == 404
    assert "volume 99 is not part of this run" in told["detail"]
    assert client.get("/api/run")["revision"] == before


def test_copying_names_neurons(client: Any) -> None:
    before = {one["key"]: one["human"] for one in client.get("/api/volumes/4")["neurons"]}
    assert not any(before.values())
    message = {"author": "ana", "ticket": ticket(), "source": 3, "volume": 4}
    assert client.send("POST", "/api/copies", message)[0] == 200
    assert any(one["human"] for one in client.get("/api/volumes/4")["neurons"])
    assert b"volume,z_um" in client.get("/api/export")


def test_queue_is_what_suggest_says(client: Any, web_run: Path) -> None:
    told, advice = client.get("/api/queue"), suggest_annotation(web_run, 12)
    assert advice.volumes
    assert [one["volume"] for one in told["volumes"]] == [one.volume for one in advice.volumes]
    assert [(one["volume"], one["identity"]) for one in told["neurons"]] == [
        (one.volume, one.identity) for one in advice.neurons
    ]
    assert told["accuracy"] == round(advice.accuracy, 4)


def test_export_is_what_the_command_writes(client: Any, web_run: Path, tmp_path: Path) -> None:
    export_file(web_run, tmp_path / "points.csv")
    assert client.get("/api/export") == (tmp_path / "points.csv").read_bytes()


def test_correction_names_the_neurons_that_are_left_without_a_name(web_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "worm"
    shutil.copytree(web_run, folder)
    (folder / "annotations.sqlite").unlink(missing_ok=True)
    desk = Desk.open(folder)
    first, other = [one for one in desk.describe_volume(3)["neurons"] if one["identity"] >= 0][:2]
    spot = Spot(volume=3, key=other["key"], place_um=other["anchor_um"])
    desk.log.append("ana", Assign(spots=(spot,), identity=first["identity"]))
    before = {one["key"]: one for one in desk.describe_volume(3)["neurons"]}
    assert before[first["key"]]["identity"] == -1
    proposals = propose_names(desk, 3)
    assert proposals
    assert other["key"] not in proposals, "what a person named stays"
    taken = {one["identity"] for one in before.values()}
    assert not taken & {number for number, _ in proposals.values()}
    assert desk.propose(3, 3, proposals)
    after = {one["key"]: one for one in desk.describe_volume(3)["neurons"]}
    for key, (number, probability) in proposals.items():
        assert (after[key]["identity"], after[key]["human"]) == (number, False)
        assert probability < 0.8, "a proposal stays in doubt"


def test_opening_needs_no_drawing_library(web_run: Path) -> None:
    words = "import sys, pathlib; from cender.web.desk import Desk; Desk.open(pathlib.Path(sys.argv[1]))"
    words += "; assert not {'matplotlib', 'torch'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", words, str(web_run)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_strangers_are_refused(client: Any, web_run: Path, serve: Callable[..., Any]) -> None:
    assert client.send("GET", "/api/run", Host="evil.example")[0] == 421
    assert client.send("GET", "/api/run", Origin="http://evil.example")[0] == 403
    assert client.send("POST", "/api/undo", b"{" + b" " * 5_000_000)[0] == 413
    assert client.send("POST", "/api/undo", b"{" + b" " * 2_000_000)[0] == 422, "10,000 volumes fit into a message"
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
    folder = tmp_path / "moved"
    shutil.copytree(web_run, folder)
    desk = Desk.open(folder)
    assert desk.frames.recording is not None
    want = desk.frames.load(2).stacks
    keep_crops(folder, desk.frames.recording, desk.frames.boxes, desk.frames.channel_map, lambda _: None)
    settings = (folder / "run.toml").read_text(encoding="utf-8")
    (folder / "run.toml").write_text(settings.replace("recording.npz", "gone.npz"), encoding="utf-8")
    moved = Desk.open(folder)
    assert moved.frames.recording is None
    for role, stack in moved.frames.load(2).stacks.items():
        np.testing.assert_array_equal(stack, want[role])


def test_green_is_shown_where_red_has_it(web_run: Path) -> None:
    desk = Desk.open(web_run)
    assert desk.frames.recording is not None
    data = desk.frames.recording.volume(2).data
    crop = desk.frames.load(2).crop
    shifted = {"red_to_green": [1.0, 0.0, 3.0, 0.0, 1.0, -2.0], "shift_z": 0}
    green = read_picture(desk.frames.recording, 2, desk.frames.boxes[2], shifted).stacks["green"]
    inside = (slice(None), slice(crop.y, crop.y + crop.h), slice(crop.x, crop.x + crop.w))
    moved = (slice(None), slice(crop.y + 3, crop.y + crop.h + 3), slice(crop.x - 2, crop.x + crop.w - 2))
    assert green.dtype == data.dtype
    assert (green != data[1][inside]).any()
    part = (slice(None), slice(0, crop.h - 16), slice(16, crop.w))
    np.testing.assert_array_equal(green[part], data[1][moved][part])


def test_crops_of_another_channel_map_are_made_again(web_run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copied"
    shutil.copytree(web_run, folder)
    desk = Desk.open(folder)
    assert desk.frames.recording is not None
    shifted = {"red_to_green": [1.0, 0.0, 3.0, 0.0, 1.0, -2.0], "shift_z": 0}
    for channel_map in (None, shifted):
        store = keep_crops(folder, desk.frames.recording, desk.frames.boxes, channel_map, lambda _: None)
        kept = store.load(2)
        assert kept is not None
        want = read_picture(desk.frames.recording, 2, desk.frames.boxes[2], channel_map)
        np.testing.assert_array_equal(kept[1]["green"], want.stacks["green"])


def test_what_the_volume_has_is_not_expected_elsewhere() -> None:
    """A neuron that has its name in both volumes is not missing, however badly the volumes fit each other."""

    def place(identity: int, x: float) -> dict[str, Any]:
        spot = [0.0, 7.0 * (identity % 3), x]
        return {"key": f"m{identity}", "identity": identity, "human": False, "centre_um": spot}

    source = [place(number, 8.0 * number) for number in range(12)]
    target = [place(number, 8.0 * number + (30.0 if number == 11 else 0.0)) for number in range(12) if number != 4]
    assert set(carry_identities(source, target).expected_um) == {4}


def test_answers_do_not_wait_for_the_other_side_to_confirm_their_head() -> None:
    with bind_port("127.0.0.1", 0) as listening, socket.create_connection(listening.getsockname()):
        accepted, _ = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
