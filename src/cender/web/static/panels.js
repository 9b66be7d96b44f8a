// @ts-check
/** Around the frame: strip, projections, reference, points in space. */
import { drawFrame, drawProjection, stackOf } from "./pixels.js";
import { changed, colourOf, selected, state, toPixels, writeAddress } from "./state.js";
import { fit } from "./view.js";

/** @param {string} id */
const canvas = (id) => /** @type {HTMLCanvasElement} */ (document.getElementById(id));
const STRIP = 7;

export function drawStrip() {
  const [context, w, h] = fit(canvas("strip"));
  const stack = stackOf(state.v);
  if (!stack) return;
  const cell = w / STRIP;
  for (let i = 0; i < STRIP; i++) {
    const z = state.z + i - (STRIP >> 1);
    if (z < 0 || z >= stack.depth) continue;
    const scale = Math.min((cell - 6) / stack.w, (h - 6) / stack.h), x = i * cell + (cell - stack.w * scale) / 2, y = (h - stack.h * scale) / 2;
    context.globalAlpha = z === state.z ? 1 : 0.75;
    context.drawImage(drawFrame(stack, z), x, y, stack.w * scale, stack.h * scale);
    context.globalAlpha = 1;
    if (z === state.z) { context.strokeStyle = "#56b4e9"; context.lineWidth = 2; context.strokeRect(x - 1, y - 1, stack.w * scale + 2, stack.h * scale + 2); }
    context.fillStyle = "#e6e9ec"; context.font = "11px system-ui"; context.fillText(String(z), i * cell + 6, 14);
    mark(context, selected(), stack, z, x, y, scale);
  }
}

/** @param {CanvasRenderingContext2D} context @param {any} one @param {any} stack @param {number} z @param {number} x @param {number} y @param {number} scale */
function mark(context, one, stack, z, x, y, scale) {
  const box = one?.boxes.find((/** @type {number[]} */ each) => each[0] === z);
  if (!box) return;
  context.strokeStyle = "#fff"; context.lineWidth = 1.5;
  context.strokeRect(x + (box[1] - stack.x) * scale, y + (box[2] - stack.y) * scale, Math.max(4, box[3] * scale), Math.max(4, box[4] * scale));
}

canvas("strip").addEventListener("click", (event) => {
  const depth = stackOf(state.v)?.depth ?? 1;
  const z = state.z + Math.floor((event.offsetX / canvas("strip").clientWidth) * STRIP) - (STRIP >> 1);
  if (z >= 0 && z < depth) { state.z = z; writeAddress(); changed(); }
});

export function drawProjections() {
  const [context, w, h] = fit(canvas("projections"));
  const stack = stackOf(state.v);
  if (!stack) return;
  const thick = stack.depth * Math.max(1, state.run.voxel_um[0] / state.run.voxel_um[1]);
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
function ring(context, x, y, r) { context.strokeStyle = "#fff"; context.lineWidth = 1.6; context.beginPath(); context.arc(x, y, r, 0, 7); context.stroke(); }

export function drawReference() {
  const [context, w, h] = fit(canvas("reference"));
  const other = state.reference;
  const label = /** @type {HTMLElement} */ (document.getElementById("reference-label"));
  label.textContent = other ? `volume ${other.volume}${state.reviewed.has(other.volume) ? ", reviewed" : ""}` : "none";
  const stack = other ? stackOf(other.volume) : null;
  if (!other || !stack) return;
  const same = other.neurons.find((one) => one.identity >= 0 && one.identity === state.identity);
  const z = same ? Math.round(toPixels(same.centre_um)[0]) : state.z;
  const frame = Math.min(stack.depth - 1, Math.max(0, z)), scale = Math.min(w / stack.w, h / stack.h);
  const x = (w - stack.w * scale) / 2, y = (h - stack.h * scale) / 2;
  context.drawImage(drawFrame(stack, frame), x, y, stack.w * scale, stack.h * scale);
  context.fillStyle = "#e6e9ec"; context.font = "11px system-ui"; context.fillText(`frame ${frame}`, 6, 14);
  mark(context, same, stack, frame, x, y, scale);
}

export function drawSpace() {
  const [context, w, h] = fit(canvas("space"));
  const neurons = state.volume?.neurons ?? [];
  if (!neurons.length) return;
  const middle = [0, 1, 2].map((axis) => neurons.reduce((sum, one) => sum + one.centre_um[axis], 0) / neurons.length);
  const reach = Math.max(1, ...neurons.map((one) => Math.hypot(...one.centre_um.map((value, axis) => value - middle[axis]))));
  const scale = (Math.min(w, h) / 2 - 8) / reach, [c, s] = [Math.cos(state.spin), Math.sin(state.spin)], [d, t] = [Math.cos(state.tilt), Math.sin(state.tilt)];
  const points = neurons.map((one) => {
    const [z, y, x] = one.centre_um.map((value, axis) => value - middle[axis]);
    const a = c * x + s * z, b = -s * x + c * z;
    return { one, x: w / 2 + scale * a, y: h / 2 + scale * (d * y - t * b), deep: d * b + t * y };
  }).sort((a, b) => a.deep - b.deep);
  shownPoints = points;
  for (const { one, x, y, deep } of points) {
    context.globalAlpha = 0.55 + 0.45 * (deep / reach / 2 + 0.5);
    context.fillStyle = colourOf(one.identity);
    context.beginPath(); context.arc(x, y, one.key === state.key ? 7 : 3.5, 0, 7); context.fill();
    if (one.key === state.key) ring(context, x, y, 9);
  }
  context.globalAlpha = 1;
}

/** @type {{one:any, x:number, y:number}[]} */ let shownPoints = [];
canvas("space").addEventListener("click", (event) => {
  const near = shownPoints.map((each) => ({ each, far: Math.hypot(each.x - event.offsetX, each.y - event.offsetY) })).sort((a, b) => a.far - b.far)[0];
  if (near && near.far < 8) onChoose(near.each.one);
});
/** @type {(one:any) => void} */ let onChoose = () => {};
/** @param {(one:any) => void} choose */
export function openSpace(choose) { onChoose = choose; }

canvas("space").addEventListener("pointermove", (event) => { if (event.buttons) { state.spin += event.movementX / 120; state.tilt += event.movementY / 120; changed(); } });
