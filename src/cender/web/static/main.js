// @ts-check
/** Begins: opens the run, joins the parts, hears of others. */
import * as actions from "./actions.js";
import { followView, readAddress } from "./address.js";
import { ask, listen, openOutbox, say } from "./api.js";
import * as bindings from "./bindings.js";
import { askConflict, askText, toast } from "./dialogs.js";
import { openKeys } from "./keys.js";
import { cancel, openLearning, showLearning, train } from "./learning.js";
import { drawHeader, drawIdentities, drawLog, drawQueue, openLists } from "./lists.js";
import "./mouse.js";
import { drawProjections, drawReference, drawSpace, drawStrip, inSpace, openSpace } from "./panels.js";
import { fetchRaw, stackOf } from "./pixels.js";
import { changed, onChange, rowOf, sayTime, selected, state } from "./state.js";
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
    else if (event.action !== "do" && !event.volumes.includes(state.v)) toast(event.words);
    document.body.dataset.following = "yes";
    followEdits();
  } else if (event.kind === "identified") {
    const shown = event.volumes.includes(state.v) ? refresh().catch(() => null) : Promise.resolve();
    if (event.left === 0) { followEdits(); void shown.then(() => { document.body.dataset.following = "no"; }); }
  } else if (event.kind === "cursor") {
    if (event.session !== state.session) {
      // Who is new here is told where I am.
      if (!state.others.has(event.session)) {
        tellCursor();
        if (event.author === state.author) toast(`another page works as ${state.author} too; if that is somebody else, say who you are (A)`);
      }
      state.others.set(event.session, { author: event.author, volume: event.volume, at: Date.now() });
    }
    changed();
  } else if (event.kind === "learning") showLearning(event);
  else if (event.kind === "results" || event.kind === "reload") { say("connected", false); tracedFor = ""; void reloadRun().catch(() => null); }
}

/** @param {any} item @param {any} answer */
function settleConflict(item, answer) {
  const theirs = `${answer.conflict.author}, ${sayTime(answer.conflict.time)}: ${answer.conflict.words}`;
  // What somebody else changed since cannot be taken back, only changed again.
  return askConflict(theirs, `${item.body.author}: ${item.words}`, item.path === "/api/edits");
}

/** @param {any} item @param {any} answer */
function followSaved(item, answer) {
  const empty = { "/api/undo": "nothing of yours is left to take back", "/api/redo": "nothing to make again", "/api/copies": "that volume has no identity that fits a neuron here" }[/** @type {string} */ (item.path)];
  if (answer.nothing && empty) toast(empty);
  void refresh().catch(() => null);
}

/** Say who is annotating: undo, the log and conflicts go by names. */
async function askAuthor() {
  const name = (await askText("Your name, for the log; undo is yours alone", state.author))?.trim().slice(0, 60);
  if (!name) return;
  state.author = name;
  localStorage.setItem("cender-author", name);
  tellCursor();
  await refresh().catch(() => null);
  changed();
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
  const buttons = { who: () => void askAuthor(), where: () => void bindings.goToVolume(), undo: actions.undo, redo: actions.redo, review: actions.review, train: () => void train(), cancel: () => void cancel(), help: bindings.showKeys, theme: bindings.turnTheme, channel: bindings.cycleChannel, scope: () => void bindings.toggleScope(), play, beside: bindings.besides, flat: bindings.flatten, plain: () => bindings.setContrast(1) };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", (event) => { act(); /** @type {HTMLElement} */ (event.currentTarget).blur(); });
  for (const name of /** @type {const} */ (["red", "green"])) {
    element(`black-${name}`).addEventListener("input", (event) => { state.black[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
    element(`contrast-${name}`).addEventListener("input", (event) => { state.gain[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
  }
  const popover = /** @type {HTMLDetailsElement} */ (element("contrast"));
  addEventListener("pointerdown", (event) => { if (popover.open && !popover.contains(/** @type {Node} */ (event.target))) popover.open = false; });
  // What was clicked with the mouse does not keep the keys.
  for (const one of [popover.querySelector("summary"), element("export")]) one?.addEventListener("click", (event) => { if (/** @type {MouseEvent} */ (event).detail) one.blur(); });
  addEventListener("resize", changed);
}

async function begin() {
  const theme = localStorage.getItem("cender-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  state.run = await ask("/api/run");
  state.author = new URLSearchParams(location.search).get("author") || localStorage.getItem("cender-author") || state.run.author;
  document.body.classList.toggle("single", state.run.channels.length < 2);
  state.reviewed = new Set(state.run.reviewed); state.annotated = new Set(state.run.annotated);
  for (const draw of [drawHeader, drawView, drawStrip, drawProjections, drawReference, drawSpace, drawTrace, () => drawLog((v) => void goTo(v)), () => void fetchRaw(state.v), () => drawQueue((item) => void openItem(item)), () => drawIdentities(showIdentity), () => void followTrace()]) onChange(draw);
  openKeys([...bindings.KEYS, { group: "work", name: "author", key: "A", words: "say who I am", act: () => void askAuthor() }], (digit) => { state.typed = (state.typed + digit).slice(0, 6); changed(); });
  openTrace((v) => void goTo(v));
  openSpace(choose);
  openLists(showIdentity);
  openControls();
  openOutbox({ conflict: settleConflict, refused: toast, saved: followSaved });
  listen(hear);
  const where = readAddress();
  bindings.showContrast();
  const queued = loadQueue();
  queued.catch(() => null);
  void ask("/api/windows").then((windows) => { state.windows = windows; }).catch(() => null);
  // A volume that is asked for does not wait for what is worth a look.
  const isKnown = where.v !== null && rowOf(where.v) >= 0;
  if (!isKnown) await queued;
  if (!isKnown && where.v !== null) toast(`volume ${where.v} is not part of this run`);
  state.v = isKnown ? /** @type {number} */ (where.v) : state.queue.volumes[0]?.volume ?? state.run.volumes.volume[0];
  await goTo(state.v, { key: where.key, quiet: true });
  state.identity = selected()?.identity ?? state.identity;
  followView(() => { const to = readAddress(); bindings.showContrast(); void goTo(to.v ?? state.v, { key: to.key }); });
  state.log = await ask(`/api/log?author=${encodeURIComponent(state.author)}`);
  await openLearning();
  await queued;
  // Who looks at one volume for long is still there; who has left is not.
  setInterval(() => { tellCursor(); changed(); }, 30_000);
  say("connected", false);
  document.body.dataset.ready = document.body.dataset.fresh = "yes";
  changed();
}

/** For tests and the curious: what the page shows. */
const shown = { onScreen, inSpace, stackOf, select: (/** @type {string} */ key) => { const one = state.volume?.neurons.find((each) => each.key === key); if (one) choose(one); }, goTo: async (/** @type {number} */ v, /** @type {number|null} */ z) => { await goTo(v, { quiet: true }); if (z !== null) showFrame(z); }, showFrame };
Object.assign(window, { cender: Object.assign(Object.create(state), shown) });
begin().catch((error) => say(String(error.message ?? error), true));
