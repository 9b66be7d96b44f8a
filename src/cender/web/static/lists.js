// @ts-check
/** Lists: queue, identities, what was done, the header. */
import { countWaiting } from "./api.js";
import { changed, colourOf, findTwice, isDoubtful, labelOf, selected, state } from "./state.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} kind @param {string} text @param {string} [name] */
function make(kind, text, name) { const one = document.createElement(kind); one.textContent = text; if (name) one.className = name; return one; }

export function drawHeader() {
  const { run, volume } = state;
  if (!run) return;
  element("run-name").textContent = run.name;
  const time = volume?.time_s == null ? "" : ` · ${volume.time_s.toFixed(1)} s`;
  element("where").textContent = `volume ${state.v} / ${run.volumes.volume.length}${time}`;
  const doubtful = volume?.neurons.filter(isDoubtful).length ?? 0;
  const chip = element("status");
  const words = volume?.unusable != null ? "unusable" : volume?.reviewed ? "reviewed" : volume?.status ?? "";
  chip.dataset.state = words;
  chip.textContent = `${words}${doubtful ? ` · ${doubtful} doubtful` : ""}`;
  chip.title = volume?.reason ?? "";
  const { annotated, accuracy, forecast } = state.queue, per = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;
  const hope = forecast !== null && forecast > accuracy ? `, ${per(forecast)} when the queue is done` : "";
  element("progress").textContent = `${annotated} of ${run.volumes.volume.length} volumes${accuracy === null ? "" : `, expected accuracy ${per(accuracy)}${hope}`}`;
  const others = [...state.others.values()].filter((one) => Date.now() - one.at < 60000);
  element("others").textContent = others.map((one) => `${one.author} at ${one.volume}`).join(", ");
  element("channel").textContent = state.channel;
  element("scope").textContent = { volume: "this volume", onward: "from here on", range: `until ${state.rangeEnd}` }[state.scope] ?? "";
  element("frame-label").textContent = `frame ${state.z} of ${run.frames || "?"}`;
  element("play").textContent = state.playing ? "❚❚ stop" : "▶ play";
  /** @type {HTMLButtonElement} */ (element("undo")).disabled = !state.log.undo.length && !countWaiting();
  /** @type {HTMLButtonElement} */ (element("redo")).disabled = !state.log.redo.length;
  const one = selected();
  element("hint").textContent = state.swapping ? "click the neuron to swap with" : state.merging ? "click the neuron to merge in" : state.drawing ? "drag a box" : state.outlining ? "draw around the head" : state.heading ? `click ${["the middle of the head", "towards the nose", "towards the belly"][state.heading.length]}` : one ? `${labelOf(one)} · ${one.human ? "by a person" : `p ${one.probability.toFixed(2)}`} · ${one.key}` : "";
  const typed = element("typed");
  typed.hidden = !state.typed;
  typed.textContent = `#${state.typed}`;
}

let queued = "";
/** @param {(item:any) => void} go */
export function drawQueue(go) {
  const list = element("queue");
  const mark = JSON.stringify([state.queue, state.v, state.identity]);
  if (mark === queued) return;
  queued = mark;
  const items = [...state.queue.volumes, ...state.queue.neurons];
  list.replaceChildren(...items.map((item, row) => {
    const what = item.kind === "volume" ? `volume ${item.volume}` : `#${item.identity} in ${item.volume}`;
    const one = make("li", `${row + 1} ${what} `);
    one.append(make("span", `+${(100 * item.gain).toFixed(1)} %`, "gain"), make("small", item.reason, "muted"));
    one.title = `${item.reason}; expected gain ${(100 * item.gain).toFixed(2)} % of all neurons`;
    one.setAttribute("aria-current", String(item.volume === state.v && (item.kind === "volume" || item.identity === state.identity)));
    one.addEventListener("click", () => go(item));
    return one;
  }));
  element("queue-note").textContent = items.length ? "what gains most, first" : "nothing in doubt";
}

let shown = "";
/** @param {(identity:number) => void} choose */
export function drawIdentities(choose) {
  if (!state.run) return;
  const wanted = /** @type {HTMLInputElement} */ (element("search")).value.trim().toLowerCase().replace("#", "");
  const twice = findTwice(), here = new Set(state.volume?.neurons.map((one) => one.identity));
  const count = state.run.volumes.volume.length;
  const rows = state.run.identities.filter((/** @type {any} */ one) => !wanted || String(one.identity).startsWith(wanted) || one.name.toLowerCase().includes(wanted));
  const mark = JSON.stringify([rows, [...here], [...twice], state.identity]);
  if (mark === shown) return;
  shown = mark;
  element("identity-count").textContent = `${rows.length}${here.size ? ` · ${rows.filter((/** @type {any} */ one) => !here.has(one.identity)).length} missing here` : ""}`;
  element("identities").replaceChildren(...rows.map((/** @type {any} */ one) => {
    const row = make("div", "", "row" + (here.has(one.identity) ? "" : " absent") + (twice.has(one.identity) ? " twice" : ""));
    const dot = document.createElement("i"); dot.style.background = colourOf(one.identity);
    const bar = make("span", "", "bar"), fill = document.createElement("b"); fill.style.width = `${Math.min(100, (100 * one.seen) / count)}%`; bar.append(fill);
    row.append(dot, make("span", `${one.reviewed ? "✓ " : ""}#${one.identity}`), make("span", one.name || (twice.has(one.identity) ? "twice" : "–"), one.name ? "" : "muted"), bar);
    row.title = `#${one.identity} ${one.name}: seen in ${one.seen} of ${count} volumes${one.reviewed ? ", reviewed" : ""}`;
    row.setAttribute("role", "option");
    row.setAttribute("aria-selected", String(one.identity === state.identity));
    row.addEventListener("click", () => choose(one.identity));
    return row;
  }));
}

export function drawLog() {
  const undone = new Set();
  for (const one of state.log.entries) { if (one.action === "undo") undone.add(one.target); if (one.action === "redo") undone.delete(one.target); }
  element("log").replaceChildren(...[...state.log.entries].reverse().filter((one) => one.action === "do").slice(0, 60).map((one) => {
    const row = make("li", `${one.words} `, undone.has(one.revision) ? "undone" : "");
    row.append(make("span", `${one.author}, ${new Date(one.time).toLocaleTimeString()}`, "muted"));
    row.title = row.textContent ?? "";
    return row;
  }));
}

element("search").addEventListener("input", changed);
