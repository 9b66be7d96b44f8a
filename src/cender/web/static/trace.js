// @ts-check
/** The trace of the selected identity above the bar of all volumes: one time axis, click to go. */
import { listOthers, nameOf, rowOf, state } from "./state.js";
import { fit } from "./view.js";

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("trace"));
const COLOURS = { ok: "#9aa5ae", flagged: "#cc79a7", failed: "#d55e00" };
const BAR = 20, AXIS = 14, LEFT = 34;

/** @type {OffscreenCanvas|null} */ let bar = null;
let barred = "";

/** The volumes of the run, drawn once for a width and a state. @param {number} w */
function drawBar(w) {
  const { volumes, generation } = state.run, ratio = devicePixelRatio || 1;
  const mark = [w, ratio, generation, state.reviewed.size, state.annotated.size, state.log.entries.length].join(" ");
  if (bar && mark === barred) return bar;
  barred = mark;
  bar = new OffscreenCanvas(Math.max(1, Math.round(w * ratio)), Math.round(BAR * ratio));
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (bar.getContext("2d"));
  context.scale(ratio, ratio);
  const count = volumes.volume.length, step = w / Math.max(1, count);
  for (let i = 0; i < count; i++) {
    const v = volumes.volume[i], x = i * step, width = Math.max(1, step - (step > 3 ? 1 : 0));
    const doubt = Math.min(1, (2 * volumes.doubtful[i]) / Math.max(1, volumes.neurons[i]));
    context.fillStyle = COLOURS[/** @type {keyof typeof COLOURS} */ (volumes.status[i])] ?? COLOURS.ok;
    context.globalAlpha = 0.45;
    context.fillRect(x, 0, width, BAR - 8);
    context.globalAlpha = 1;
    context.fillStyle = "#e69f00";
    if (volumes.doubtful[i]) context.fillRect(x, (BAR - 8) * (1 - doubt), width, (BAR - 8) * doubt);
    if (state.reviewed.has(v)) { context.fillStyle = "#009e73"; context.fillRect(x, BAR - 6, width, 6); }
    else if (state.annotated.has(v)) { context.fillStyle = "#56b4e9"; context.fillRect(x, BAR - 6, width, 3); }
  }
  return bar;
}

export function drawTrace() {
  const [context, w, h] = fit(canvas);
  const volumes = state.run?.volumes;
  if (!volumes) return;
  const wide = w - LEFT, step = wide / Math.max(1, volumes.volume.length), ink = getComputedStyle(document.body).color;
  context.drawImage(drawBar(wide), LEFT, h - BAR, wide, BAR);
  const place = (/** @type {number} */ v) => LEFT + (rowOf(v) + 0.5) * step;
  drawAxis(context, place, h - BAR - 3, ink);
  drawLine(context, place, step, h - BAR - AXIS - 4, ink);
  for (const one of listOthers()) drawOther(context, place(one.volume), h - BAR, one.author);
  context.strokeStyle = ink; context.lineWidth = 1.5;
  context.beginPath(); context.moveTo(place(state.v), 0); context.lineTo(place(state.v), h); context.stroke();
}

/** Where somebody else is. @param {CanvasRenderingContext2D} context @param {number} x @param {number} y @param {string} author */
function drawOther(context, x, y, author) {
  context.fillStyle = "#cc79a7";
  context.beginPath(); context.moveTo(x, y); context.lineTo(x - 5, y - 8); context.lineTo(x + 5, y - 8); context.fill();
  context.font = '600 11px system-ui, "Liberation Sans", sans-serif'; context.fillText(author.slice(0, 8), x + 7, y - 2);
}

/** Times under the trace, or numbers of volumes where times are not known.
 * @param {CanvasRenderingContext2D} context @param {(v:number) => number} place @param {number} y @param {string} ink */
function drawAxis(context, place, y, ink) {
  const { volume, time_s } = state.run.volumes, ticks = Math.min(volume.length, Math.max(2, Math.min(9, Math.floor(canvas.clientWidth / 160))));
  context.fillStyle = ink; context.globalAlpha = 0.65; context.font = '11px system-ui, "Liberation Sans", sans-serif';
  for (let i = 0; i < ticks; i++) {
    const row = Math.round((i * (volume.length - 1)) / Math.max(1, ticks - 1)), text = time_s[row] === null ? `${volume[row]}` : `${time_s[row].toFixed(time_s[row] < 100 ? 1 : 0)} s`;
    context.textAlign = i === 0 ? "left" : i === ticks - 1 ? "right" : "center";
    context.fillText(text, Math.min(canvas.clientWidth - 1, place(volume[row]) + (i === 0 ? -4 : i === ticks - 1 ? 4 : 0)), y);
  }
  context.textAlign = "left"; context.globalAlpha = 1;
}

/** @param {CanvasRenderingContext2D} context @param {(v:number) => number} place @param {number} step @param {number} high @param {string} ink */
function drawLine(context, place, step, high, ink) {
  const label = /** @type {HTMLElement} */ (document.getElementById("trace-label")), { trace } = state;
  if (!trace || !trace.volume.length || state.identity < 0) { label.textContent = state.identity >= 0 ? `#${state.identity} has no trace yet` : state.key ? "without an identity there is no trace" : "select a neuron to see its trace here"; return; }
  const name = nameOf(trace.identity), here = trace.ratio[trace.volume.indexOf(state.v)];
  label.textContent = `ratio of #${trace.identity}${name ? ` ${name}` : ""}${here == null ? "" : `: ${here.toFixed(2)} in this volume`}`;
  const values = trace.ratio.filter((/** @type {number|null} */ one) => one !== null).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  if (!values.length) return;
  const low = values[Math.floor(values.length * 0.01)], top = values[Math.ceil(values.length * 0.99) - 1];
  const span = top - low || 1, level = (/** @type {number} */ ratio) => high - 2 - ((Math.min(Math.max(ratio, low), top) - low) / span) * (high - 8);
  context.fillStyle = ink; context.globalAlpha = 0.65; context.font = '11px system-ui, "Liberation Sans", sans-serif';
  context.fillText(top.toFixed(2), 0, 11); context.fillText(low.toFixed(2), 0, high);
  context.globalAlpha = 1;
  context.strokeStyle = context.fillStyle = getComputedStyle(document.body).getPropertyValue("--accent"); context.lineWidth = 1.4; context.beginPath();
  let pen = false;
  trace.volume.forEach((/** @type {number} */ v, /** @type {number} */ i) => {
    const ratio = trace.ratio[i];
    if (ratio === null || !trace.valid[i]) { pen = false; return; }
    const x = place(v), y = level(ratio);
    if (pen) context.lineTo(x, y); else context.moveTo(x, y);
    pen = true;
    if (step > 4) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  });
  context.stroke();
}

/** @param {(v:number) => void} go */
export function openTrace(go) {
  const rowAt = (/** @type {MouseEvent} */ event) => { const count = state.run.volumes.volume.length; return Math.min(count - 1, Math.max(0, Math.floor(((event.offsetX - LEFT) / (canvas.clientWidth - LEFT)) * count))); };
  canvas.addEventListener("click", (event) => go(state.run.volumes.volume[rowAt(event)]));
  canvas.addEventListener("pointermove", (event) => {
    const { volume, status, neurons, doubtful, time_s } = state.run.volumes, row = rowAt(event);
    canvas.title = `volume ${volume[row]}${time_s[row] === null ? "" : ` · ${time_s[row].toFixed(1)} s`} · ${status[row]} · ${neurons[row]} neurons, ${doubtful[row]} doubtful`;
  });
}
