// @ts-check
/** Training in the background: how far it is, its curve, and a way to stop it. */
import { ask } from "./api.js";
import { toast } from "./dialogs.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {any} news */
export function showLearning(news) {
  const panel = element("learning");
  panel.hidden = news.state === "idle";
  panel.dataset.state = news.state;
  const share = news.total ? ` ${Math.round((100 * news.done) / news.total)}%` : "";
  element("learning-words").textContent = news.state === "running" ? `${news.words}${share}` : `${news.state}: ${news.words}`;
  element("cancel").textContent = news.state === "running" ? "cancel" : "close";
  drawCurve(/** @type {HTMLCanvasElement} */ (element("curve")), news.curve);
}

/** @param {HTMLCanvasElement} canvas @param {number[]} curve */
function drawCurve(canvas, curve) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.clearRect(0, 0, canvas.width, canvas.height);
  canvas.hidden = curve.length < 2;
  const most = Math.max(...curve, 1e-9), width = canvas.width / Math.max(1, curve.length - 1);
  context.strokeStyle = getComputedStyle(document.body).getPropertyValue("--accent"); context.lineWidth = 1.5; context.beginPath();
  curve.forEach((loss, i) => context.lineTo(i * width, canvas.height - 2 - (loss / most) * (canvas.height - 4)));
  context.stroke();
}

export async function train() { await turn("POST"); }

/** Begin or stop. @param {"POST"|"DELETE"} method */
async function turn(method) {
  const answer = await fetch("/api/learning", { method }).catch(() => null), news = await answer?.json().catch(() => null);
  if (answer?.ok && news) showLearning(news); else toast(`the server is away: training did not ${method === "POST" ? "begin" : "stop"}`);
}

export async function cancel() {
  if (element("learning").dataset.state !== "running") { element("learning").hidden = true; return; }
  await turn("DELETE");
}

export async function openLearning() { showLearning(await ask("/api/learning")); }
