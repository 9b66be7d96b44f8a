// @ts-check
/** The frame: pixels, boxes, labels, ghosts; and the mouse on it. */
import { addBox, assignClicked, moveBox, setAxes, setOutline } from "./actions.js";
import { drawFrame, stackOf } from "./pixels.js";
import { changed, colourOf, findTwice, isDoubtful, labelOf, selected, state, toPixels, writeAddress } from "./state.js";

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("frame"));
/** @type {{kind:string, x:number, y:number, box?:number[], hit?:import("./state.js").Neuron|null, path?:number[][]}|null} */ let drag = null;
/** @type {number[]|null} */ let drawn = null;

/** Give a canvas the pixels of the screen; returns its context and size.
 * @param {HTMLCanvasElement} one @returns {[CanvasRenderingContext2D, number, number]} */
export function fit(one) {
  const ratio = devicePixelRatio || 1, w = one.clientWidth, h = one.clientHeight;
  if (one.width !== Math.round(w * ratio) || one.height !== Math.round(h * ratio)) { one.width = Math.round(w * ratio); one.height = Math.round(h * ratio); }
  const context = /** @type {CanvasRenderingContext2D} */ (one.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, w, h);
  context.imageSmoothingEnabled = false;
  return [context, w, h];
}

/** Scale and offset of the frame on the canvas. */
function layout() {
  const stack = stackOf(state.v);
  const w = stack?.w ?? 100, h = stack?.h ?? 100;
  const scale = Math.min(canvas.clientWidth / w, canvas.clientHeight / h) * state.zoom;
  return { stack, scale, left: (canvas.clientWidth - w * scale) / 2 + state.panX, top: (canvas.clientHeight - h * scale) / 2 + state.panY };
}

/** Place of a full-frame pixel on the canvas. @param {number} x @param {number} y */
export function onScreen(x, y) {
  const { stack, scale, left, top } = layout();
  return [left + (x - (stack?.x ?? 0) + 0.5) * scale, top + (y - (stack?.y ?? 0) + 0.5) * scale];
}

/** @param {number} px @param {number} py */
function inFrame(px, py) {
  const { stack, scale, left, top } = layout();
  return [(px - left) / scale - 0.5 + (stack?.x ?? 0), (py - top) / scale - 0.5 + (stack?.y ?? 0)];
}

export function drawView() {
  const [context] = fit(canvas);
  const { stack, scale, left, top } = layout();
  if (stack) context.drawImage(drawFrame(stack, Math.min(state.z, stack.depth - 1)), left, top, stack.w * scale, stack.h * scale);
  if (!state.volume || state.hidden) return;
  const twice = findTwice();
  for (const one of state.volume.neurons) drawNeuron(context, one, scale, twice);
  for (const ghost of state.ghosts) drawGhost(context, ghost, scale);
  if (state.axes || state.heading || state.outlining) drawHead(context);
  if (drawn) { const [x, y] = onScreen(drawn[0] - 0.5, drawn[1] - 0.5); context.setLineDash([]); context.strokeStyle = "#fff"; context.lineWidth = 2; context.strokeRect(x, y, drawn[2] * scale, drawn[3] * scale); }
}

/** @param {CanvasRenderingContext2D} context @param {import("./state.js").Neuron} one @param {number} scale @param {Set<number>} twice */
function drawNeuron(context, one, scale, twice) {
  const box = one.boxes.find((each) => each[0] === state.z);
  const conflict = twice.has(one.identity), chosen = one.key === state.key;
  if (!box && !(chosen && one.boxes.length === 0)) return;
  const [z, y, x] = toPixels(one.centre_um);
  const [bx, by, bw, bh] = box ? box.slice(1) : [x - 3, y - 3, 7, 7];
  if (!box && Math.round(z) !== state.z) return;
  const [px, py] = onScreen(bx - 0.5, by - 0.5);
  context.strokeStyle = conflict ? "#ff4d2e" : one.human ? "#ffffff" : isDoubtful(one) ? "#ffb000" : "#56b4e9";
  context.setLineDash(one.human ? [] : [4, 3]);
  context.lineWidth = chosen ? 3 : conflict ? 2.5 : 1.4;
  context.globalAlpha = one.human || chosen || conflict ? 1 : 0.35 + 0.65 * (isDoubtful(one) ? 1 : one.probability);
  context.strokeRect(px, py, bw * scale, bh * scale);
  context.globalAlpha = 1;
  context.setLineDash([]);
  if (chosen) { context.fillStyle = "#fff"; context.fillRect(px + bw * scale - 4, py + bh * scale - 4, 8, 8); }
  if (chosen || conflict || state.labels || one.key === state.hover || (isDoubtful(one) && state.zoom >= 1.5)) drawLabel(context, labelOf(one) + (isDoubtful(one) && one.identity >= 0 ? "?" : ""), px + bw * scale, py, colourOf(one.identity), chosen);
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y @param {string} colour @param {boolean} strong */
function drawLabel(context, text, x, y, colour, strong) {
  context.font = `${strong ? "600 14px" : "12px"} system-ui, sans-serif`;
  const w = context.measureText(text).width;
  context.strokeStyle = colour; context.lineWidth = 1;
  context.beginPath(); context.moveTo(x, y); context.lineTo(x + 7, y - 7); context.stroke();
  context.fillStyle = "#000b"; context.fillRect(x + 6, y - 22, w + 8, 17);
  context.fillStyle = strong ? "#fff" : colour; context.fillText(text, x + 10, y - 9);
}

/** @param {CanvasRenderingContext2D} context @param {{identity:number, centre_um:number[]}} ghost @param {number} scale */
function drawGhost(context, ghost, scale) {
  const [z, y, x] = toPixels(ghost.centre_um);
  if (Math.abs(z - state.z) > 0.6) return;
  const [px, py] = onScreen(x, y);
  context.strokeStyle = "#e78ac3"; context.lineWidth = 1.6; context.setLineDash([2, 3]);
  context.beginPath(); context.arc(px, py, Math.max(5, 3.5 * scale), 0, 7); context.stroke(); context.setLineDash([]);
  // Labels never pile up: the circles say that something is missing, the number is there when it is asked for.
  if (state.labels || ghost.identity === state.identity) drawLabel(context, `#${ghost.identity} missing`, px + 4, py - 3, "#e78ac3", false);
}

/** The worm's axes and the outline of its head; clicks that set them while they are made.
 * @param {CanvasRenderingContext2D} context */
function drawHead(context) {
  const head = state.volume?.head;
  context.setLineDash([]); context.lineWidth = 2;
  if (head && !state.heading) {
    const { scale } = layout(), [ox, oy] = onScreen(head.origin_yx[1], head.origin_yx[0]);
    for (const [name, toward, colour] of /** @type {[string, number[], string][]} */ ([["nose", head.anterior_yx, "#f0e442"], ["belly", head.ventral_yx, "#56b4e9"]])) {
      const x = ox + 40 * scale * toward[1] / Math.max(scale, 1), y = oy + 40 * scale * toward[0] / Math.max(scale, 1);
      context.strokeStyle = context.fillStyle = colour;
      context.beginPath(); context.moveTo(ox, oy); context.lineTo(x, y); context.stroke();
      context.font = "12px system-ui"; context.fillText(name, x + 4, y);
    }
  }
  trace(context, (drag?.path ?? head?.outline_yx ?? []).map(([y, x]) => onScreen(x, y)), drag?.path ? "#fff" : "#9aa5ae");
  for (const [y, x] of state.heading ?? []) { const [px, py] = onScreen(x, y); context.fillStyle = "#f0e442"; context.fillRect(px - 3, py - 3, 6, 6); }
}

/** @param {CanvasRenderingContext2D} context @param {number[][]} points @param {string} colour */
function trace(context, points, colour) {
  if (points.length < 2) return;
  context.strokeStyle = colour; context.lineWidth = 1.2;
  context.beginPath(); points.forEach(([x, y]) => context.lineTo(x, y)); context.closePath(); context.stroke();
}

/** @param {number} x @param {number} y in full-frame pixels */
export function neuronAt(x, y) {
  let best = null, least = Infinity;
  for (const one of state.volume?.neurons ?? []) {
    const box = one.boxes.find((each) => each[0] === state.z);
    if (!box) continue;
    const inside = x >= box[1] - 1.5 && x <= box[1] + box[3] + 0.5 && y >= box[2] - 1.5 && y <= box[2] + box[4] + 0.5;
    const distance = Math.hypot(x - box[1] - (box[3] - 1) / 2, y - box[2] - (box[4] - 1) / 2);
    if (inside && distance < least) { best = one; least = distance; }
  }
  return best;
}

canvas.addEventListener("pointerdown", (event) => {
  canvas.setPointerCapture(event.pointerId);
  canvas.focus();
  const [x, y] = inFrame(event.offsetX, event.offsetY);
  if (event.button === 1 || event.altKey) { drag = { kind: "pan", x: event.offsetX - state.panX, y: event.offsetY - state.panY }; return; }
  if (state.outlining) { drag = { kind: "outline", x, y, path: [[y, x]] }; return; }
  if (state.heading) {
    state.heading.push([y, x]);
    if (state.heading.length === 3) { setAxes(state.heading); state.heading = null; state.axes = true; }
    changed();
    return;
  }
  if (state.drawing || event.shiftKey) { drag = { kind: "draw", x, y }; return; }
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
  select(hit);
  if (!hit) drag = { kind: "pan", x: event.offsetX - state.panX, y: event.offsetY - state.panY };
});

/** @param {import("./state.js").Neuron|null} hit */
function select(hit) {
  state.key = hit?.key ?? "";
  state.identity = hit?.identity ?? -1;
  writeAddress();
  changed();
}

canvas.addEventListener("pointermove", (event) => {
  const [x, y] = inFrame(event.offsetX, event.offsetY);
  if (!drag) { const hover = neuronAt(x, y)?.key ?? ""; if (hover !== state.hover) { state.hover = hover; changed(); } return; }
  if (drag.kind === "pan") { state.panX = event.offsetX - drag.x; state.panY = event.offsetY - drag.y; }
  else if (drag.path) { const [ly, lx] = drag.path[drag.path.length - 1]; if (Math.hypot(y - ly, x - lx) >= 1) drag.path.push([y, x]); }
  else if (drag.kind === "draw") drawn = [Math.min(x, drag.x), Math.min(y, drag.y), Math.abs(x - drag.x), Math.abs(y - drag.y)];
  else if (drag.box) drawn = drag.kind === "move" ? [drag.box[1] + x - drag.x, drag.box[2] + y - drag.y, drag.box[3], drag.box[4]] : [drag.box[1], drag.box[2], Math.max(1, drag.box[3] + x - drag.x), Math.max(1, drag.box[4] + y - drag.y)];
  changed();
});

canvas.addEventListener("pointerup", () => {
  const box = drawn, kind = drag?.kind, hit = drag?.hit, path = drag?.path;
  drag = null; drawn = null; state.drawing = false;
  if (path) { state.outlining = false; setOutline(path.map(([y, x]) => [Math.round(y * 10) / 10, Math.round(x * 10) / 10])); changed(); return; }
  if (kind === "move" && !box && hit) { select(hit); return; }
  if (box && box[2] >= 1 && box[3] >= 1) {
    const rounded = box.map((value) => Math.round(value * 10) / 10);
    if (kind === "draw") addBox(rounded); else if (kind === "move" || kind === "resize") moveBox(rounded, kind);
  }
  changed();
});

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey) {
    const before = inFrame(event.offsetX, event.offsetY);
    state.zoom = Math.min(20, Math.max(0.5, state.zoom * Math.exp(-event.deltaY / 400)));
    const [px, py] = onScreen(before[0], before[1]);
    state.panX += event.offsetX - px; state.panY += event.offsetY - py;
  } else {
    const depth = stackOf(state.v)?.depth ?? 1;
    state.z = Math.min(depth - 1, Math.max(0, state.z + Math.sign(event.deltaY)));
  }
  changed();
}, { passive: false });
