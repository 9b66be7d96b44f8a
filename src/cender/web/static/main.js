// @ts-check
/** Begins: opens the run, joins the parts, hears of others. */
import * as actions from "./actions.js";
import { ask, listen, openOutbox, say, send } from "./api.js";
import * as bindings from "./bindings.js";
import { askConflict, toast } from "./dialogs.js";
import { openKeys } from "./keys.js";
import { cancel, openLearning, showLearning, train } from "./learning.js";
import { drawHeader, drawIdentities, drawLog, drawQueue, openLists } from "./lists.js";
import "./mouse.js";
import { drawProjections, drawReference, drawSpace, drawStrip, openSpace } from "./panels.js";
import { fetchRaw, stackOf } from "./pixels.js";
import { changed, onChange, readAddress, sayTime, selected, state } from "./state.js";
import { drawTrace, openTrace } from "./trace.js";
import { choose, goTo, loadQueue, openItem, play, refresh, reloadRun, showFrame, showIdentity, tellCursor } from "./travel.js";
import { drawView, onScreen } from "./view.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

let planned = 0;
/** The queue and the identities follow edits, a moment after the last of them. */
function followEdits() {
  clearTimeout(planned);
  planned = window.setTimeout(() => void Promise.all([ask("/api/identities"), loadQueue()]).then(([identities]) => { state.run.identities = identities; changed(); }).catch(() => null), 400);
}

/** @param {any} event */
function hear(event) {
  if (event.kind === "edit") {
    for (const v of event.volumes) state.annotated.add(v);
    if (event.volumes.includes(state.v) || event.author === state.author) void refresh().catch(() => null);
    if (event.author !== state.author) toast(`${event.author}: ${event.words}`);
    document.body.dataset.following = "yes";
    followEdits();
  } else if (event.kind === "identified") {
    const shown = event.volumes.includes(state.v) ? refresh().catch(() => null) : Promise.resolve();
    if (event.left === 0) { followEdits(); void shown.then(() => { document.body.dataset.following = "no"; }); }
  } else if (event.kind === "cursor") {
    if (event.session !== state.session) {
      // Who is new here is told where I am.
      if (!state.others.has(event.session)) tellCursor();
      state.others.set(event.session, { author: event.author, volume: event.volume, at: Date.now() });
    }
    changed();
  } else if (event.kind === "learning") showLearning(event);
  else if (event.kind === "results" || event.kind === "reload") { say(`connected · ${state.author}`, false); tracedFor = ""; void reloadRun().catch(() => null); }
}

/** @param {any} item @param {any} answer */
async function settleConflict(item, answer) {
  const theirs = `${answer.conflict.author}, ${sayTime(answer.conflict.time)}: ${answer.conflict.words}`;
  if (await askConflict(theirs, `${state.author}: ${item.words}`)) send(item.path, { ...item.body, base_revision: null, ticket: crypto.randomUUID() }, item.words);
  else void refresh();
}

let tracedFor = "";
async function followTrace() {
  const wanted = `${state.identity} ${state.run.generation}`;
  if (wanted === tracedFor || state.playing) return;
  tracedFor = wanted;
  const trace = state.identity < 0 ? null : await ask(`/api/identities/${state.identity}/trace`).catch(() => null);
  if (wanted === tracedFor) state.trace = trace;
  changed();
}

function openControls() {
  const buttons = { undo: actions.undo, redo: actions.redo, review: actions.review, train: () => void train(), cancel: () => void cancel(), help: bindings.showKeys, theme: bindings.turnTheme, channel: bindings.cycleChannel, scope: () => void bindings.toggleScope(), play, beside: bindings.besides, flat: bindings.flatten, plain: () => bindings.setContrast(1) };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", (event) => { act(); /** @type {HTMLElement} */ (event.currentTarget).blur(); });
  for (const name of /** @type {const} */ (["red", "green"])) {
    element(`black-${name}`).addEventListener("input", (event) => { state.black[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
    element(`contrast-${name}`).addEventListener("input", (event) => { state.gain[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
  }
  const popover = /** @type {HTMLDetailsElement} */ (element("contrast"));
  addEventListener("pointerdown", (event) => { if (popover.open && !popover.contains(/** @type {Node} */ (event.target))) popover.open = false; });
  addEventListener("resize", changed);
}

async function begin() {
  const theme = localStorage.getItem("cender-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  state.run = await ask("/api/run");
  state.author = new URLSearchParams(location.search).get("author") || state.run.author;
  state.reviewed = new Set(state.run.reviewed); state.annotated = new Set(state.run.annotated);
  for (const draw of [drawHeader, drawView, drawStrip, drawProjections, drawReference, drawSpace, drawTrace, () => drawLog((v) => void goTo(v)), () => void fetchRaw(state.v), () => drawQueue((item) => void openItem(item)), () => drawIdentities(showIdentity), () => void followTrace()]) onChange(draw);
  openKeys(bindings.KEYS, (digit) => { state.typed = (state.typed + digit).slice(0, 6); changed(); });
  openTrace((v) => void goTo(v));
  openSpace(choose);
  openLists(showIdentity);
  openControls();
  openOutbox({ conflict: (item, answer) => void settleConflict(item, answer), refused: (words) => { toast(words); void refresh(); }, saved: () => void refresh().catch(() => null) });
  listen(hear);
  const where = readAddress();
  state.channel = where.c;
  state.z = where.z ?? Math.floor((state.run.frames || 2) / 2);
  await loadQueue();
  void ask("/api/windows").then((windows) => { state.windows = windows; }).catch(() => null);
  state.v = where.v ?? state.queue.volumes[0]?.volume ?? state.run.volumes.volume[0];
  await goTo(state.v, { key: where.k, quiet: true });
  state.identity = selected()?.identity ?? -1;
  state.log = await ask(`/api/log?author=${encodeURIComponent(state.author)}`);
  await openLearning();
  say(`connected · ${state.author}`, false);
  document.body.dataset.ready = document.body.dataset.fresh = "yes";
  changed();
}

/** For tests and the curious: what the page shows. */
const shown = { onScreen, stackOf, select: (/** @type {string} */ key) => { const one = state.volume?.neurons.find((each) => each.key === key); if (one) choose(one); }, goTo: async (/** @type {number} */ v, /** @type {number|null} */ z) => { await goTo(v, { quiet: true }); if (z !== null) showFrame(z); }, showFrame };
Object.assign(window, { cender: Object.assign(Object.create(state), shown) });
begin().catch((error) => say(String(error.message ?? error), true));
