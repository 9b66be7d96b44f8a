// @ts-check
/** Lists: queue, identities, what was done, the header. */
import { countWaiting } from "./api.js";
import { describeSetting, isSetting } from "./head.js";
import { changed, colourOf, findTwice, isDoubtful, labelOf, listOthers, nameOf, sayTime, selected, state } from "./state.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} kind @param {string} text @param {string} [name] */
function make(kind, text, name) { const one = document.createElement(kind); one.textContent = text; if (name) one.className = name; return one; }

/** @param {number} share */
const per = (share) => `${Math.round(100 * share)}%`;
const say = (/** @type {number} */ count) => count.toLocaleString("en-GB");

export function drawHeader() {
  const { run, volume } = state;
  if (!run) return;
  const all = run.volumes.volume;
  element("run-name").textContent = run.name;
  element("where").textContent = `volume ${state.v} / ${all[all.length - 1]}${volume?.time_s == null ? "" : ` · ${volume.time_s.toFixed(1)} s`}`;
  drawChip();
  const { annotated, accuracy, forecast } = state.queue;
  const hope = forecast !== null && per(forecast) !== per(accuracy) ? `, ${per(forecast)} after the queue` : "";
  element("progress").textContent = `${say(annotated)} of ${say(all.length)} volumes${accuracy === null ? "" : `, expected accuracy ${per(accuracy)}${hope}`}`;
  /** @type {HTMLElement} */ (element("done-bar").firstElementChild).style.width = `${(100 * annotated) / all.length}%`;
  element("others").textContent = listOthers().map((one) => `${one.author} at ${one.volume}`).join(", ");
  element("who").textContent = state.author;
  element("channel").textContent = { both: "red + green", red: "red", green: "green" }[state.channel] ?? "";
  element("scope").textContent = `scope: ${{ volume: "this volume", onward: "from here on", range: `until ${state.rangeEnd}` }[state.scope]}`;
  element("scope").setAttribute("aria-pressed", String(state.scope !== "volume"));
  element("frame-label").textContent = state.flat || state.playing ? `all ${run.frames || "?"} frames` : `frame ${state.z} of ${run.frames || "?"}`;
  element("play").textContent = state.playing ? "❚❚ stop" : "▶ play";
  for (const [id, on] of /** @type {[string, boolean][]} */ ([["flat", state.flat], ["beside", state.beside], ["review", Boolean(volume?.reviewed)]])) element(id).setAttribute("aria-pressed", String(on));
  /** @type {HTMLButtonElement} */ (element("undo")).disabled = !state.log.undo.length && !countWaiting();
  /** @type {HTMLButtonElement} */ (element("redo")).disabled = !state.log.redo.length;
  element("hint").textContent = describeHint();
  element("typed").hidden = !state.typed;
  element("typed").textContent = describeTyped();
}

function drawChip() {
  const { volume } = state, doubtful = volume?.neurons.filter(isDoubtful).length ?? 0;
  const words = volume?.unusable != null ? "unusable" : volume?.reviewed ? "reviewed" : volume?.status ?? "";
  const chip = element("status");
  chip.dataset.state = words;
  chip.textContent = [words, doubtful ? `${doubtful} ${volume?.reviewed ? "without identity" : "doubtful"}` : "", volume?.reason ?? "", volume?.note ? `“${volume.note}”` : ""].filter(Boolean).join(" · ");
  chip.title = chip.textContent;
}

/** The number that is being typed, with what assigning it means. */
function describeTyped() {
  const identity = Number(state.typed), known = state.run.identities.some((/** @type {any} */ one) => one.identity === identity), name = nameOf(identity);
  const holder = state.volume?.neurons.find((one) => one.identity === identity && one.key !== state.key);
  return `#${state.typed}${name ? ` ${name}` : ""}${!known ? " · a new identity" : holder ? " · taken from another neuron here" : ""}`;
}

/** What the page waits for, or what is selected, in words. */
function describeHint() {
  const one = selected();
  if (state.swapping) return "swap: click the other neuron, or type its number and Enter";
  if (state.merging) return "merge: click the other part, or type its number and Enter";
  if (isSetting()) return describeSetting();
  if (one) return one.human ? `${one.identity < 0 ? "no identity" : labelOf(one)} · by a person` : one.identity < 0 ? "no identity yet: type a number" : `${labelOf(one)} · probability ${one.probability.toFixed(2)}`;
  if (state.identity >= 0) return state.ghosts.some((each) => each.identity === state.identity) ? `#${state.identity} is missing here: Enter or a puts it where it is expected` : `#${state.identity} is not in this volume`;
  return "";
}

let queued = "";
/** @param {(item:any) => void} go */
export function drawQueue(go) {
  const mark = JSON.stringify([state.queue, state.v, state.identity]);
  if (mark === queued) return;
  queued = mark;
  const items = [...state.queue.volumes, ...state.queue.neurons];
  element("queue").replaceChildren(...items.map((item, row) => {
    const what = item.kind === "volume" ? `volume ${item.volume}` : `#${item.identity} in volume ${item.volume}`;
    const one = make("li", `${row + 1}  ${what} `);
    one.append(make("span", item.gain >= 0.0005 ? `+${(100 * item.gain).toFixed(1)}%` : "", "gain"), make("small", item.reason, "muted"));
    one.title = `${item.reason}; expected gain ${(100 * item.gain).toFixed(2)}% of all neurons`;
    one.tabIndex = 0;
    one.setAttribute("aria-current", String(item.volume === state.v && (item.kind === "volume" || item.identity === state.identity)));
    one.addEventListener("click", () => go(item));
    one.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.stopPropagation(); go(item); } });
    return one;
  }));
  element("queue-note").textContent = items.length ? "best first (q)" : "nothing in doubt";
}

let shown = "", onlyMissing = false;
const readSearch = () => /** @type {HTMLInputElement} */ (element("search")).value.trim().toLowerCase().replace("#", "");
const listHere = () => new Set(state.volume?.neurons.map((one) => one.identity));

/** Identities that a search finds, one that is just what was typed before all others. @param {string} wanted @param {Set<number|undefined>} here @returns {any[]} */
function findRows(wanted, here) {
  const found = /** @type {any[]} */ (state.run.identities).filter((one) => (!wanted || String(one.identity).startsWith(wanted) || one.name.toLowerCase().includes(wanted)) && !(onlyMissing && here.has(one.identity)));
  const exact = found.filter((one) => wanted && (String(one.identity) === wanted || one.name.toLowerCase() === wanted));
  return [...exact, ...found.filter((one) => !exact.includes(one))];
}

/** @param {(identity:number) => void} choose */
export function drawIdentities(choose) {
  if (!state.run) return;
  const wanted = readSearch(), twice = findTwice(), here = listHere();
  const all = /** @type {any[]} */ (state.run.identities), missing = all.filter((one) => !here.has(one.identity)).length;
  const rows = findRows(wanted, here);
  const mark = JSON.stringify([rows, [...here], [...twice], state.identity, onlyMissing]);
  if (mark === shown) return;
  shown = mark;
  element("identity-count").textContent = wanted ? `${rows.length} of ${all.length}` : String(all.length);
  const button = element("missing");
  button.hidden = !missing; button.textContent = `${missing} missing here`; button.setAttribute("aria-pressed", String(onlyMissing));
  const list = element("identities");
  list.replaceChildren(...(rows.length ? rows.map((one) => drawIdentity(one, here.has(one.identity), twice.has(one.identity), choose)) : [make("p", !all.length ? "no identities yet: select a neuron and type a number" : wanted ? `no identity begins with “${wanted}”` : "nothing is missing", "muted")]));
  list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
}

/** @param {any} one @param {boolean} here @param {boolean} twice @param {(identity:number) => void} choose */
function drawIdentity(one, here, twice, choose) {
  const row = make("div", "", "row" + (here ? "" : " absent") + (twice ? " twice" : "")), count = state.run.volumes.volume.length;
  const dot = document.createElement("i"); dot.style.background = colourOf(one.identity);
  row.append(dot, make("span", `${one.reviewed ? "✓ " : ""}#${one.identity}`), make("span", one.name || (twice ? "twice here" : ""), one.name || twice ? "" : "muted"), drawPresence(one.presence));
  row.title = `#${one.identity} ${one.name}: seen in ${one.seen} of ${count} volumes${here ? "" : "; missing in this one"}${one.reviewed ? "; reviewed" : ""}`;
  row.setAttribute("role", "option");
  row.dataset.identity = String(one.identity);
  row.setAttribute("aria-selected", String(one.identity === state.identity));
  row.addEventListener("click", () => choose(one.identity));
  return row;
}

/** Where an identity appears: one bar per part of the recording, as high as the share of its volumes. @param {string} digits */
function drawPresence(digits) {
  const strip = make("span", "", "presence");
  strip.append(...[...digits].map((digit) => { const bar = document.createElement("b"); bar.style.height = `${Math.max(8, (100 * Number(digit)) / 9)}%`; if (digit === "0") bar.className = "none"; return bar; }));
  return strip;
}

/** @param {(identity:number) => void} choose */
export function openLists(choose) {
  element("search").addEventListener("input", changed);
  element("search").addEventListener("keydown", (event) => {
    // What was typed counts, also where the list is not drawn anew yet.
    const first = event.key === "Enter" ? findRows(readSearch(), listHere())[0] : undefined;
    if (!first && event.key !== "Escape") return;
    // What was found is shown among all others again.
    /** @type {HTMLInputElement} */ (element("search")).value = "";
    if (first) choose(first.identity); else changed();
  });
  element("missing").addEventListener("click", () => { onlyMissing = !onlyMissing; changed(); });
  element("identities").addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const rows = /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#identities .row")]), at = rows.findIndex((row) => row.getAttribute("aria-selected") === "true");
    const next = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
    if (next) choose(Number(next.dataset.identity));
  });
}

let logged = "";
/** @param {(v:number) => void} go */
export function drawLog(go) {
  const mark = JSON.stringify(state.log);
  if (mark === logged) return;
  logged = mark;
  const undone = new Set();
  for (const one of state.log.entries) { if (one.action === "undo") undone.add(one.target); if (one.action === "redo") undone.delete(one.target); }
  const done = [...state.log.entries].reverse().filter((one) => one.action === "do").slice(0, 60);
  element("undo-note").textContent = state.log.undo.length ? "Ctrl+Z: the marked one" : "";
  element("log").replaceChildren(...(done.length ? done.map((one) => {
    const row = make("li", `${one.words} `, undone.has(one.revision) ? "undone" : "");
    row.append(make("span", `${one.author}, ${sayTime(one.time)}`, "muted"));
    row.title = row.textContent ?? "";
    row.setAttribute("aria-current", String(one.revision === state.log.undo[0]));
    if (one.volumes.length) row.addEventListener("click", () => go(one.volumes[0]));
    return row;
  }) : [make("li", "what is done appears here, and can be taken back", "muted")]));
}
