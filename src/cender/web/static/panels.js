// @ts-check
/** Around the frame: strip, projections, reference, points in space. */
import { drawFrame, drawProjection, stackOf } from "./pixels.js";
import { changed, colourOf, labelOf, selected, state, toPixels } from "./state.js";
import { fit, layout, onScreen } from "./view.js";

/** @typedef {import("./pixels.js").Stack} Stack */
/** @typedef {import("./state.js").Neuron} Neuron */

/** @param {string} id */
const canvas = (id) => /** @type {HTMLCanvasElement} */ (document.getElementById(id));
/** Frames in the strip; boxes of a neuron that fit into a close-up of it. */
const STRIP = 7, CLOSE = 8;


/** The part of a stack that is shown in a panel: around a neuron, or all of it. Half-open, in pixels of the stack.
 * @param {Stack} stack @param {Neuron|null|undefined} one @param {number} w @param {number} h of the panel */
function chooseWindow(stack, one, w, h) {
  if (!one) {
    const scale = Math.min(w / stack.w, h / stack.h);
    return { x: (stack.w - w / scale) / 2, y: (stack.h - h / scale) / 2, scale };
  }
  const [, py, px] = toPixels(one.centre_um), high = one.boxes[0]?.[4] ?? 7;
  const scale = Math.max(Math.min(w / stack.w, h / stack.h), h / Math.max(24, CLOSE * high));
  const keep = (/** @type {number} */ from, /** @type {number} */ size, /** @type {number} */ all) => (size >= all ? (all - size) / 2 : Math.min(Math.max(0, from), all - size));
  return { x: keep(px - stack.x - w / scale / 2, w / scale, stack.w), y: keep(py - stack.y - h / scale / 2, h / scale, stack.h), scale };
}

/** Draw a frame of a stack into a part of a panel, with boxes of neurons, the chosen one strongest.
 * @param {CanvasRenderingContext2D} context @param {Stack} stack @param {number} z @param {Neuron|null|undefined} one @param {Neuron[]} others
 * @param {{x:number, y:number, w:number, h:number}} into @param {{x:number, y:number, scale:number}} [part] of the stack that is shown */
function drawPart(context, stack, z, one, others, into, part = chooseWindow(stack, one, into.w, into.h)) {
  context.save();
  context.beginPath(); context.rect(into.x, into.y, into.w, into.h); context.clip();
  context.translate(into.x - part.x * part.scale, into.y - part.y * part.scale);
  context.drawImage(drawFrame(stack, z), 0, 0, stack.w * part.scale, stack.h * part.scale);
  for (const each of others) {
    const box = each.boxes.find((/** @type {number[]} */ every) => every[0] === z);
    if (!box) continue;
    context.strokeStyle = each === one ? "#fff" : colourOf(each.identity); context.lineWidth = each === one ? 2 : 1;
    context.globalAlpha = each === one ? 1 : 0.6;
    context.strokeRect((box[1] - stack.x) * part.scale, (box[2] - stack.y) * part.scale, Math.max(4, box[3] * part.scale), Math.max(4, box[4] * part.scale));
  }
  context.restore();
}

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} x @param {number} y */
function write(context, text, x, y) {
  context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.fillStyle = "#000b"; context.fillRect(x - 3, y - 11, context.measureText(text).width + 6, 15);
  context.fillStyle = "#e6e9ec"; context.fillText(text, x, y);
}

/** The first frame in the strip: the shown one is in its middle, except near the ends of the volume. @param {number} depth */
const stripStart = (depth) => Math.max(0, Math.min(state.z - (STRIP >> 1), depth - STRIP));

export function drawStrip() {
  const [context, w, h] = fit(canvas("strip"));
  const stack = stackOf(state.v), one = selected();
  if (!stack) return;
  const cell = w / STRIP;
  for (let i = 0; i < STRIP; i++) {
    const z = stripStart(stack.depth) + i;
    if (z >= stack.depth) break;
    const into = { x: i * cell + 2, y: 3, w: cell - 4, h: h - 6 };
    drawPart(context, stack, z, one, one ? [one] : [], into);
    if (z === state.z) { context.strokeStyle = "#56b4e9"; context.lineWidth = 2; context.strokeRect(into.x, into.y, into.w, into.h); }
    write(context, String(z), into.x + 6, into.y + 14);
  }
}

canvas("strip").addEventListener("click", (event) => {
  const depth = stackOf(state.v)?.depth ?? 1;
  const z = stripStart(depth) + Math.floor((event.offsetX / canvas("strip").clientWidth) * STRIP);
  if (z >= 0 && z < depth) { state.z = z; changed(); }
});

export function drawProjections() {
  const panel = canvas("projections"), stack = stackOf(state.v);
  if (!stack) { fit(panel); return; }
  const thick = stack.depth * Math.max(1, state.run.voxel_um[0] / state.run.voxel_um[1]);
  // The panel is as high as its pictures need, so that the points below get the rest.
  const high = Math.round(Math.min(0.27 * innerHeight, Math.max(70, ((panel.clientWidth - 12) * (stack.h + thick)) / (stack.w + thick) + 12)));
  if (Math.abs(panel.clientHeight - high) > 1) panel.style.height = `${high}px`;
  const [context, w, h] = fit(panel);
  const scale = Math.min((w - 12) / (stack.w + thick), (h - 12) / (stack.h + thick));
  const x = (w - (stack.w + thick) * scale - 4) / 2, y = 4;
  context.drawImage(drawProjection(stack, 0), x, y, stack.w * scale, stack.h * scale);
  context.drawImage(drawProjection(stack, 1), x, y + stack.h * scale + 4, stack.w * scale, thick * scale);
  context.drawImage(drawProjection(stack, 2), x + stack.w * scale + 4, y, thick * scale, stack.h * scale);
  const one = selected();
  if (!one) return;
  const [pz, py, px] = toPixels(one.centre_um), along = ((pz + 0.5) / stack.depth) * thick * scale;
  for (const [cx, cy] of [[(px - stack.x) * scale, (py - stack.y) * scale], [(px - stack.x) * scale, stack.h * scale + 4 + along], [stack.w * scale + 4 + along, (py - stack.y) * scale]]) ring(context, x + cx, y + cy, 6);
}

/** @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {number} r */
function ring(context, x, y, r) {
  for (const [colour, width] of /** @type {[string, number][]} */ ([["#000a", 3.5], ["#fff", 1.6]])) { context.strokeStyle = colour; context.lineWidth = width; context.beginPath(); context.arc(x, y, r, 0, 7); context.stroke(); }
}

/** The part of the reference that lies beside the frame: as large, and the same neuron at the same height and place.
 * @param {Stack} stack @param {Neuron} same @param {Neuron} one @param {number} w @param {number} h */
function alignWindow(stack, same, one, w, h) {
  const { scale } = layout(), [, y, x] = toPixels(one.centre_um), [, py, px] = toPixels(same.centre_um), [sx, frameY] = onScreen(x, y);
  const sy = frameY + canvas("frame").getBoundingClientRect().top - canvas("reference").getBoundingClientRect().top;
  return { x: px - stack.x - Math.min(Math.max(sx, 40), w - 40) / scale, y: py - stack.y - Math.min(Math.max(sy, 40), h - 40) / scale, scale };
}

export function drawReference() {
  const [context, w, h] = fit(canvas("reference"));
  const other = state.reference;
  const label = /** @type {HTMLElement} */ (document.getElementById("reference-label"));
  const how = other && state.reviewed.has(other.volume) ? "nearest posture, reviewed" : "nearest posture";
  label.textContent = other ? `volume ${other.volume}, ${state.fixed !== null ? "stays (f)" : how}` : "none";
  const stack = other ? stackOf(other.volume) : null;
  if (!other || !stack) return;
  const same = other.neurons.find((one) => one.identity >= 0 && one.identity === state.identity);
  const z = same ? same.boxes[same.boxes.length >> 1]?.[0] ?? Math.round(toPixels(same.centre_um)[0]) : state.z;
  const frame = Math.min(stack.depth - 1, Math.max(0, z));
  const one = selected();
  drawPart(context, stack, frame, same, other.neurons, { x: 0, y: 0, w, h }, state.beside && same && one ? alignWindow(stack, same, one, w, h) : undefined);
  const absent = state.identity >= 0 && !same ? ` · #${state.identity} is not there` : "";
  write(context, `frame ${frame}${same ? ` · ${labelOf(same)}` : absent}`, 8, 16);
}

export function drawSpace() {
  const [context, w, h] = fit(canvas("space"));
  const neurons = state.volume?.neurons ?? [];
  if (!neurons.length) return;
  const middle = [0, 1, 2].map((axis) => neurons.reduce((sum, one) => sum + one.centre_um[axis], 0) / neurons.length);
  const [c, s] = [Math.cos(state.spin), Math.sin(state.spin)], [d, t] = [Math.cos(state.tilt), Math.sin(state.tilt)];
  // A head that is higher than wide lies down, as the panel does.
  const [, tall, broad] = [0, 1, 2].map((axis) => neurons.reduce((sum, one) => sum + Math.abs(one.centre_um[axis] - middle[axis]), 0)), lies = tall > broad && w > h;
  const points = neurons.map((one) => {
    const [z, ...across] = one.centre_um.map((value, axis) => value - middle[axis]), [y, x] = lies ? [-across[1], across[0]] : across;
    const a = c * x + s * z, b = -s * x + c * z;
    return { one, a, y: d * y - t * b, x: 0, deep: d * b + t * y };
  }).sort((a, b) => a.deep - b.deep);
  const [wide, high, deepest] = [points.map((p) => p.a), points.map((p) => p.y), points.map((p) => p.deep)].map((list) => Math.max(1, ...list.map(Math.abs)));
  const scale = Math.min((w / 2 - 12) / wide, (h / 2 - 12) / high);
  for (const point of points) {
    point.x = w / 2 + scale * point.a; point.y = h / 2 + scale * point.y;
    const chosen = point.one.key === state.key;
    context.globalAlpha = chosen ? 1 : 0.45 + 0.5 * (point.deep / deepest / 2 + 0.5);
    context.fillStyle = colourOf(point.one.identity);
    context.beginPath(); context.arc(point.x, point.y, chosen ? 6 : 2.5 + 1.5 * (point.deep / deepest / 2 + 0.5), 0, 7); context.fill();
    if (chosen) ring(context, point.x, point.y, 9);
  }
  shownPoints = points;
  context.globalAlpha = 1;
}

/** @type {{one:any, x:number, y:number}[]} */ let shownPoints = [];
let turned = 0;
/** @type {(one:any) => void} */ let onChoose = () => {};
/** Where the point of a neuron is drawn. @param {string} key */
export function inSpace(key) { const point = shownPoints.find((each) => each.one.key === key); return point ? [point.x, point.y] : null; }
/** @param {(one:any) => void} choose */
export function openSpace(choose) { onChoose = choose; }

canvas("space").addEventListener("pointerdown", () => { turned = 0; });
canvas("space").addEventListener("pointermove", (event) => {
  if (!event.buttons) return;
  turned += Math.abs(event.movementX) + Math.abs(event.movementY);
  state.spin += event.movementX / 120; state.tilt += event.movementY / 120; changed();
});
canvas("space").addEventListener("click", (event) => {
  if (turned > 4) return;
  const near = shownPoints.map((each) => ({ each, far: Math.hypot(each.x - event.offsetX, each.y - event.offsetY) })).sort((a, b) => a.far - b.far)[0];
  if (near && near.far < 9) onChoose(near.each.one);
});
