// @ts-check
/** The mouse on the frame: select, draw, move, resize, outline, turn the wheel. */
import { addBox, assignClicked, moveBox } from "./actions.js";
import { toast } from "./dialogs.js";
import { askOutline, setPoint } from "./head.js";
import { stackOf } from "./pixels.js";
import { changed, selected, state, toPixels } from "./state.js";
import { boxOf, inFrame, isFlat, isGhostHere, layout, neuronAt, onScreen, pencil } from "./view.js";

/** @typedef {import("./state.js").Neuron} Neuron */

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("frame"));
/** @type {{kind:string, x:number, y:number, box?:number[], hit?:Neuron|null}|null} */ let drag = null;
/** Where the mouse is on the frame, in full-frame pixels; null where it is elsewhere. @type {number[]|null} */
let pointer = null;
export const pointerAt = () => pointer;

/** @param {Neuron|null} hit */
function select(hit) {
  state.key = hit?.key ?? "";
  state.identity = hit?.identity ?? -1;
  if (hit && isFlat() && hit.boxes.length && !hit.boxes.some((box) => box[0] === state.z)) state.z = hit.boxes[hit.boxes.length >> 1][0];
  changed();
}

/** A missing neuron under the mouse. @param {number} x @param {number} y */
function ghostAt(x, y) {
  return state.ghosts.find((one) => { const [, gy, gx] = toPixels(one.centre_um); return isGhostHere(one) && Math.hypot(gx - x, gy - y) < 4; });
}

/** @param {PointerEvent} event */
const startPan = (event) => ({ kind: "pan", x: event.offsetX - state.panX, y: event.offsetY - state.panY });

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  canvas.focus();
  const [x, y] = inFrame(event.offsetX, event.offsetY);
  if (event.button === 1 || event.altKey) { drag = startPan(event); return; }
  if (state.outlining) { state.cross = [x, y]; drag = { kind: "outline", x: pencil.path?.length ?? 0, y: 0 }; pencil.path = [...(pencil.path ?? []), [y, x]]; changed(); return; }
  if (state.heading) { setPoint([x, y]); return; }
  if (event.shiftKey) { drag = { kind: "draw", x, y }; return; }
  const mine = selected()?.boxes.find((each) => each[0] === state.z);
  if (mine) {
    const [cx, cy] = onScreen(mine[1] + mine[3] - 0.5, mine[2] + mine[4] - 0.5);
    // The handle of a small box is small, so that its middle moves it.
    const handle = Math.max(4, Math.min(9, 0.35 * Math.min(mine[3], mine[4]) * layout().scale));
    if (Math.hypot(event.offsetX - cx, event.offsetY - cy) < handle) { drag = { kind: "resize", x, y, box: mine.slice() }; return; }
  }
  const hit = neuronAt(x, y);
  if (hit && assignClicked(hit)) return;
  // What is selected lies on top: it is moved, unless the mouse does not move; then what lies nearest is selected.
  if (mine && x >= mine[1] - 0.5 && x <= mine[1] + mine[3] - 0.5 && y >= mine[2] - 0.5 && y <= mine[2] + mine[4] - 0.5) { drag = { kind: "move", x, y, box: mine.slice(), hit }; return; }
  const ghost = hit ? undefined : ghostAt(x, y);
  select(hit);
  if (ghost) { state.identity = ghost.identity; changed(); } else if (!hit) drag = startPan(event);
});

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = (pointer = inFrame(event.offsetX, event.offsetY));
  if (!drag) { const hover = neuronAt(x, y)?.key ?? ""; if (hover !== state.hover) { state.hover = hover; changed(); } return; }
  if (drag.kind === "pan") { state.panX = event.offsetX - drag.x; state.panY = event.offsetY - drag.y; }
  else if (drag.kind === "outline" && pencil.path) { const [ly, lx] = pencil.path[pencil.path.length - 1]; if (Math.hypot(y - ly, x - lx) >= 1) pencil.path.push([y, x]); }
  else if (drag.kind === "draw") pencil.box = [Math.min(x, drag.x), Math.min(y, drag.y), Math.abs(x - drag.x), Math.abs(y - drag.y)];
  else if (drag.box) pencil.box = drag.kind === "move" ? [drag.box[1] + x - drag.x, drag.box[2] + y - drag.y, drag.box[3], drag.box[4]] : [drag.box[1], drag.box[2], Math.max(1, drag.box[3] + x - drag.x), Math.max(1, drag.box[4] + y - drag.y)];
  changed();
});

canvas.addEventListener("pointerleave", () => { pointer = null; if (state.hover) { state.hover = ""; changed(); } });

canvas.addEventListener("pointerup", () => {
  const { box, path } = pencil, kind = drag?.kind, hit = drag?.hit, from = drag?.x ?? 0;
  drag = null; pencil.box = pencil.path = null;
  // A line drawn around the head closes it; single clicks are corners.
  if (kind === "outline" && path) { pencil.path = path; if (path.length - from > 3) askOutline(); else changed(); return; }
  if (kind === "move" && !box && hit) { select(hit); return; }
  if (box && box[2] >= 1 && box[3] >= 1) {
    const rounded = box.map((value) => Math.round(value * 10) / 10);
    if (kind === "draw") addBox(rounded); else if (kind === "move" || kind === "resize") moveBox(rounded, kind);
  }
  changed();
});

/** How far a touchpad has rolled since the last frame, and when. */
let rolled = 0, rolledAt = -Infinity;
/** Screen pixels of a touchpad per frame; a notch of a wheel has more. Time without rolling that ends a movement. */
const ROLL = 40, REST_MS = 200;

/** Frames that a wheel event moves: one for each notch, and a touchpad, which sends many small ones, as far as it rolls.
 * @param {WheelEvent} event */
function countFrames(event) {
  const by = event.deltaMode ? 100 * Math.sign(event.deltaY) : event.deltaY;
  const begins = event.timeStamp - rolledAt > REST_MS || by * rolled < 0;
  rolledAt = event.timeStamp;
  rolled = begins ? 0 : rolled + by;
  if (!begins && Math.abs(by) < ROLL && Math.abs(rolled) < ROLL) return 0;
  rolled = 0;
  return Math.sign(by);
}

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey) {
    const before = inFrame(event.offsetX, event.offsetY);
    state.zoom = Math.min(20, Math.max(0.5, state.zoom * Math.exp(-event.deltaY / 400)));
    const [px, py] = onScreen(before[0], before[1]);
    state.panX += event.offsetX - px; state.panY += event.offsetY - py;
  } else {
    const depth = stackOf(state.v)?.depth ?? 1;
    state.z = Math.min(depth - 1, Math.max(0, state.z + countFrames(event)));
  }
  changed();
}, { passive: false });

/** Move or resize the selected box by one pixel. @param {number} dx @param {number} dy @param {"move"|"resize"} kind */
export function nudge(dx, dy, kind) {
  const one = selected(), box = one?.boxes.some((each) => each[0] === state.z) ? boxOf(one) : null;
  if (!box) toast(one ? "the neuron has no box in this frame" : "select a neuron first");
  else moveBox(kind === "move" ? [box[0] + dx, box[1] + dy, box[2], box[3]] : [box[0], box[1], Math.max(1, box[2] + dx), Math.max(1, box[3] + dy)], kind);
}
