// @ts-check
/** The trace of the selected identity above the bar of all volumes: one time axis, click to go. */
import { nameOf, state } from "./state.js";
import { fit } from "./view.js";

const canvas = /** @type {HTMLCanvasElement} */ (document.getElementById("trace"));
const COLOURS = { ok: "#9aa5ae", flagged: "#e69f00", failed: "#d55e00" };
const BAR = 22;

export function drawTrace() {
  const [context, w, h] = fit(canvas);
  const volumes = state.run?.volumes;
  if (!volumes) return;
  const count = volumes.volume.length, step = w / Math.max(1, count), high = h - BAR - 6;
  for (let i = 0; i < count; i++) {
    const v = volumes.volume[i], x = i * step, width = Math.max(1, step - (step > 3 ? 1 : 0));
    context.fillStyle = COLOURS[/** @type {keyof typeof COLOURS} */ (volumes.status[i])] ?? "#9aa5ae";
    context.globalAlpha = 0.35 + 0.65 * Math.min(1, (2 * volumes.doubtful[i]) / Math.max(1, volumes.neurons[i]));
    context.fillRect(x, h - BAR, width, BAR - 9);
    context.globalAlpha = 1;
    if (state.reviewed.has(v)) { context.fillStyle = "#009e73"; context.fillRect(x, h - 7, width, 7); }
    else if (state.annotated.has(v)) { context.fillStyle = "#56b4e9"; context.fillRect(x, h - 7, width, 4); }
  }
  const here = volumes.volume.indexOf(state.v);
  const ink = getComputedStyle(document.body).color;
  context.strokeStyle = ink; context.lineWidth = 1.5;
  context.beginPath(); context.moveTo((here + 0.5) * step, 0); context.lineTo((here + 0.5) * step, h); context.stroke();
  drawLine(context, step, high);
}

/** @param {CanvasRenderingContext2D} context @param {number} step @param {number} high */
function drawLine(context, step, high) {
  const label = /** @type {HTMLElement} */ (document.getElementById("trace-label"));
  const { trace, run } = state;
  const legend = "volumes: grey ok · orange flagged · red failed · green reviewed · blue annotated";
  if (!trace || !trace.volume.length || state.identity < 0) { label.textContent = `click a neuron to see its trace · ${legend}`; return; }
  label.textContent = `ratio of #${trace.identity} ${nameOf(trace.identity)} · ${legend}`;
  const values = trace.ratio.filter((/** @type {number|null} */ one) => one !== null).sort((/** @type {number} */ a, /** @type {number} */ b) => a - b);
  if (!values.length) return;
  const low = values[Math.floor(values.length * 0.01)], top = values[Math.ceil(values.length * 0.99) - 1] || low + 1;
  const row = new Map(run.volumes.volume.map((/** @type {number} */ v, /** @type {number} */ i) => [v, i]));
  context.strokeStyle = "#0072b2"; context.fillStyle = "#0072b2"; context.lineWidth = 1.4; context.beginPath();
  let pen = false;
  trace.volume.forEach((/** @type {number} */ v, /** @type {number} */ i) => {
    const ratio = trace.ratio[i];
    if (ratio === null || !trace.valid[i]) { pen = false; return; }
    const x = (row.get(v) + 0.5) * step, y = high - ((ratio - low) / (top - low || 1)) * (high - 6);
    if (pen) context.lineTo(x, y); else context.moveTo(x, y);
    pen = true;
    if (step > 4) context.fillRect(x - 1.5, y - 1.5, 3, 3);
  });
  context.stroke();
}

/** @param {(v:number) => void} go */
export function openTrace(go) {
  canvas.addEventListener("click", (event) => {
    const volumes = state.run?.volumes.volume ?? [];
    const row = Math.min(volumes.length - 1, Math.floor((event.offsetX / canvas.clientWidth) * volumes.length));
    if (row >= 0) go(volumes[row]);
  });
}
