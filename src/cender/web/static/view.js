// @ts-check
/** The frame: pixels, boxes, labels, ghosts, and where all of it lies on the screen. */
import { drawLabels } from "./labels.js";
import { drawFrame, drawProjection, stackOf, whyMissing } from "./pixels.js";
import { colourOf, findTwice, isDoubtful, labelOf, selected, state, toPixels } from "./state.js";

/** @typedef {import("./state.js").Neuron} Neuron */
/** @typedef {{x:number, y:number, w:number, h:number}} Rect */

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("frame"));
/** What the mouse is drawing: a box in full-frame pixels, or a line around the head. */
export const pencil = /** @type {{box: number[]|null, path: number[][]|null}} */ ({ box: null, path: null });
const MISSING = "#e78ac3";

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

/** What of the frame is shown: its picture, or where there is none, the part that has neurons. @returns {Rect} */
function findArea() {
  const places = (state.volume?.neurons ?? []).map((one) => toPixels(one.centre_um)), edge = 20;
  const [ys, xs] = [places.map((one) => one[1]), places.map((one) => one[2])];
  if (!places.length) return { x: 0, y: 0, w: 100, h: 100 };
  const x = Math.min(...xs) - edge, y = Math.min(...ys) - edge;
  return { x, y, w: Math.max(...xs) + edge - x, h: Math.max(...ys) + edge - y };
}

/** Scale and offset of the frame on the canvas. */
export function layout() {
  const stack = stackOf(state.v) ?? findArea();
  const { w, h } = stack;
  const scale = Math.min(canvas.clientWidth / w, canvas.clientHeight / h) * state.zoom;
  return { stack, scale, left: (canvas.clientWidth - w * scale) / 2 + state.panX, top: (canvas.clientHeight - h * scale) / 2 + state.panY };
}

/** Place of a full-frame pixel on the canvas. @param {number} x @param {number} y */
export function onScreen(x, y) {
  const { stack, scale, left, top } = layout();
  return [left + (x - stack.x + 0.5) * scale, top + (y - stack.y + 0.5) * scale];
}

/** @param {number} px @param {number} py */
export function inFrame(px, py) {
  const { stack, scale, left, top } = layout();
  return [(px - left) / scale - 0.5 + stack.x, (py - top) / scale - 0.5 + stack.y];
}

/** Move the picture so that a neuron is in its middle, unless it is well inside already. @param {Neuron} one @param {boolean} [always] */
export function bringIntoView(one, always = false) {
  const [, y, x] = toPixels(one.centre_um), [px, py] = onScreen(x, y), edge = 40;
  if (!always && px > edge && py > edge && px < canvas.clientWidth - edge && py < canvas.clientHeight - edge) return;
  state.panX += canvas.clientWidth / 2 - px; state.panY += canvas.clientHeight / 2 - py;
}

/** Whether all frames are shown at once: when asked for, and while the recording plays. */
export const isFlat = () => state.flat || state.playing;

/** The box of a neuron as it is shown: in this frame, or about its centre where all frames are shown at once.
 * @param {Neuron} one @returns {number[]|null} x y w h in full-frame pixels */
export function boxOf(one) {
  const [z, y, x] = toPixels(one.centre_um);
  const box = one.boxes.find((each) => each[0] === state.z) ?? (isFlat() ? one.boxes[one.boxes.length >> 1] : undefined);
  if (box) return box.slice(1);
  return !one.boxes.length && (isFlat() || Math.round(z) === state.z) ? [x - 3, y - 3, 7, 7] : null;
}

export function drawView() {
  const [context, width, height] = fit(canvas);
  const { scale, left, top } = layout(), stack = stackOf(state.v), why = whyMissing(state.v);
  if (stack) context.drawImage(isFlat() ? drawProjection(stack, 0) : drawFrame(stack, Math.min(state.z, stack.depth - 1)), left, top, stack.w * scale, stack.h * scale);
  else if (state.run) write(context, why ? `no picture: ${why}` : `the pictures of volume ${state.v} are on their way`, width, why ? 40 : height / 2);
  if (!state.volume || state.hidden || !(stack || why)) return;
  const twice = findTwice();
  /** @type {import("./labels.js").Wanted[]} */ const wanted = [];
  /** @type {Rect[]} */ const boxes = [];
  for (const one of state.volume.neurons) {
    const box = boxOf(one);
    if (!box) continue;
    const [x, y] = onScreen(box[0] - 0.5, box[1] - 0.5), rect = { x, y, w: box[2] * scale, h: box[3] * scale };
    drawNeuron(context, one, rect, twice.has(one.identity));
    boxes.push(rect);
    const rank = rankLabel(one, twice.has(one.identity));
    if (rank !== null) wanted.push({ ...rect, text: nameLabel(one, twice.has(one.identity)), colour: isFlat() ? colourOf(one.identity) : outline(one, twice.has(one.identity)), strong: one.key === state.key, rank });
  }
  for (const ghost of state.playing ? [] : state.ghosts) drawGhost(context, ghost, scale, wanted);
  drawLabels(context, wanted, boxes, width, height);
  if (state.axes || state.heading || state.outlining) drawHead(context);
  if (pencil.box) { const [x, y] = onScreen(pencil.box[0] - 0.5, pencil.box[1] - 0.5); context.setLineDash([]); context.strokeStyle = "#fff"; context.lineWidth = 2; context.strokeRect(x, y, pencil.box[2] * scale, pencil.box[3] * scale); }
}

/** Words across the frame, in as many lines as they need. @param {CanvasRenderingContext2D} context @param {string} words @param {number} width @param {number} y */
function write(context, words, width, y) {
  context.fillStyle = "#b8c2cb"; context.font = '14px system-ui, "Liberation Sans", sans-serif'; context.textAlign = "center";
  const lines = [""];
  for (const word of words.split(" ")) { const longer = `${lines[lines.length - 1]} ${word}`; if (context.measureText(longer).width < width - 40) lines[lines.length - 1] = longer; else lines.push(word); }
  lines.forEach((line, row) => context.fillText(line, width / 2, y + 20 * row, width - 20));
  context.textAlign = "left";
}

/** @param {Neuron} one @param {boolean} conflict */
function outline(one, conflict) { return conflict ? "#ff4d2e" : one.human ? "#ffffff" : isDoubtful(one) ? "#ffb000" : "#56b4e9"; }

/** @param {Neuron} one @param {boolean} conflict */
function nameLabel(one, conflict) { return one.identity < 0 ? (one.human ? "none" : "?") : labelOf(one) + (conflict ? " twice" : isDoubtful(one) ? "?" : ""); }

/** How much a label matters, null where none is wanted: only what is selected, hovered, or in doubt carries one unasked.
 * @param {Neuron} one @param {boolean} conflict */
function rankLabel(one, conflict) {
  if (one.key === state.key) return 0;
  if (one.key === state.hover) return 1;
  if (conflict) return 2;
  if (isDoubtful(one) && one.identity >= 0) return 3;
  return state.labels ? 4 : null;
}

/** @param {CanvasRenderingContext2D} context @param {Neuron} one @param {Rect} rect @param {boolean} conflict */
function drawNeuron(context, one, rect, conflict) {
  const chosen = one.key === state.key;
  context.strokeStyle = state.playing ? colourOf(one.identity) : outline(one, conflict);
  context.setLineDash(one.human ? [] : [4, 3]);
  context.lineWidth = chosen || conflict ? 2.5 : 1.4;
  context.globalAlpha = one.human || chosen || conflict ? 1 : 0.45 + 0.55 * (isDoubtful(one) ? 1 : one.probability);
  context.strokeRect(rect.x, rect.y, rect.w, rect.h);
  context.globalAlpha = 1;
  context.setLineDash([]);
  if (!chosen) return;
  context.strokeStyle = "#fff"; context.lineWidth = 1; context.strokeRect(rect.x - 3, rect.y - 3, rect.w + 6, rect.h + 6);
  const side = Math.max(4, Math.min(9, 0.3 * Math.min(rect.w, rect.h)));
  context.fillStyle = "#fff"; context.fillRect(rect.x + rect.w - side / 2, rect.y + rect.h - side / 2, side, side);
}

/** The missing neuron that one key accepts: the selected one, else the one nearest to this frame. */
export function nearestGhost() {
  const far = (/** @type {{centre_um:number[]}} */ one) => Math.abs(toPixels(one.centre_um)[0] - state.z);
  return state.ghosts.find((one) => one.identity === state.identity) ?? [...state.ghosts].sort((a, b) => far(a) - far(b))[0] ?? null;
}

/** @param {{centre_um:number[]}} ghost */
export const isGhostHere = (ghost) => isFlat() || Math.abs(toPixels(ghost.centre_um)[0] - state.z) <= 0.6;

/** @param {CanvasRenderingContext2D} context @param {{identity:number, centre_um:number[]}} ghost @param {number} scale @param {import("./labels.js").Wanted[]} wanted */
function drawGhost(context, ghost, scale, wanted) {
  if (!isGhostHere(ghost)) return;
  const [, y, x] = toPixels(ghost.centre_um), [px, py] = onScreen(x, y), r = Math.max(5, 3.5 * scale), next = ghost === nearestGhost();
  context.strokeStyle = MISSING; context.lineWidth = next ? 2.2 : 1.4; context.setLineDash([2, 3]);
  context.beginPath(); context.arc(px, py, r, 0, 7); context.stroke(); context.setLineDash([]);
  if (state.labels || next || ghost.identity === state.identity) wanted.push({ x: px - r, y: py - r, w: 2 * r, h: 2 * r, text: `#${ghost.identity} missing${next ? " · a" : ""}`, colour: MISSING, strong: false, rank: next ? 1 : 5 });
}

/** The worm's axes and the outline of its head; clicks that set them while they are made.
 * @param {CanvasRenderingContext2D} context */
function drawHead(context) {
  const head = state.volume?.head;
  context.setLineDash([]); context.lineWidth = 2;
  if (head && !state.heading) {
    const { scale } = layout(), [ox, oy] = onScreen(head.origin_yx[1], head.origin_yx[0]);
    for (const [name, toward, colour] of /** @type {[string, number[], string][]} */ ([["nose", head.anterior_yx, "#f0e442"], ["belly", head.ventral_yx, "#56b4e9"]])) {
      const x = ox + (40 * scale * toward[1]) / Math.max(scale, 1), y = oy + (40 * scale * toward[0]) / Math.max(scale, 1);
      context.strokeStyle = context.fillStyle = colour;
      context.beginPath(); context.moveTo(ox, oy); context.lineTo(x, y); context.stroke();
      context.font = '12px system-ui, "Liberation Sans", sans-serif'; context.fillText(name, x + 4, y);
    }
  }
  trace(context, (pencil.path ?? head?.outline_yx ?? []).map(([y, x]) => onScreen(x, y)), pencil.path ? "#fff" : "#9aa5ae");
  drawCross(context);
  for (const [y, x] of state.heading ?? (state.cross ? pencil.path : null) ?? []) { const [px, py] = onScreen(x, y); context.fillStyle = "#f0e442"; context.fillRect(px - 3, py - 3, 6, 6); }
}

/** The cross that keys move. @param {CanvasRenderingContext2D} context */
function drawCross(context) {
  if (!state.cross) return;
  const [x, y] = onScreen(state.cross[0], state.cross[1]);
  for (const [colour, width] of /** @type {[string, number][]} */ ([["#000", 4], ["#fff", 1.6]])) {
    context.strokeStyle = colour; context.lineWidth = width;
    context.beginPath(); context.moveTo(x - 12, y); context.lineTo(x + 12, y); context.moveTo(x, y - 12); context.lineTo(x, y + 12); context.stroke();
  }
}

/** @param {CanvasRenderingContext2D} context @param {number[][]} points @param {string} colour */
function trace(context, points, colour) {
  if (points.length < 2) return;
  context.strokeStyle = colour; context.lineWidth = 1.2;
  context.beginPath(); points.forEach(([x, y]) => context.lineTo(x, y)); context.closePath(); context.stroke();
}

/** @param {number} x @param {number} y in full-frame pixels @returns {Neuron|null} */
export function neuronAt(x, y) {
  let best = null, least = Infinity;
  for (const one of state.volume?.neurons ?? []) {
    const box = boxOf(one);
    if (!box) continue;
    const inside = x >= box[0] - 1.5 && x <= box[0] + box[2] + 0.5 && y >= box[1] - 1.5 && y <= box[1] + box[3] + 0.5;
    const distance = Math.hypot(x - box[0] - (box[2] - 1) / 2, y - box[1] - (box[3] - 1) / 2);
    if (inside && distance < least) { best = one; least = distance; }
  }
  return best;
}

/** The shown neuron that lies next in a direction: near, and more along it than across. @param {number} dx @param {number} dy @returns {Neuron|null} */
export function neuronToward(dx, dy) {
  const from = selected(), box = from ? boxOf(from) : null;
  const middle = (/** @type {number[]} */ one) => [one[0] + one[2] / 2, one[1] + one[3] / 2];
  const [x, y] = box ? middle(box) : inFrame(canvas.clientWidth / 2, canvas.clientHeight / 2);
  let best = null, least = Infinity;
  for (const one of state.volume?.neurons ?? []) {
    const there = one === from ? null : boxOf(one);
    if (!there) continue;
    const [tx, ty] = middle(there), along = (tx - x) * dx + (ty - y) * dy, across = Math.abs((tx - x) * dy) + Math.abs((ty - y) * dx);
    const cost = along + 2 * across;
    if ((along > 0.5 || !box) && Math.abs(cost) < least) { best = one; least = Math.abs(cost); }
  }
  return best;
}
