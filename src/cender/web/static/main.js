// @ts-check
/** Begins: opens the run, joins the parts, moves through volumes, hears of others. */
import * as actions from "./actions.js";
import { ask, countWaiting, listen, openOutbox, say, send } from "./api.js";
import { drawKeys, openKeys } from "./keys.js";
import { drawHeader, drawIdentities, drawLog, drawQueue } from "./lists.js";
import { drawProjections, drawReference, drawSpace, drawStrip, openSpace } from "./panels.js";
import { fetchRaw, fetchStack, forgetStacks, stackOf } from "./pixels.js";
import { changed, isDoubtful, onChange, readAddress, selected, state, toPixels, writeAddress } from "./state.js";
import { drawTrace, openTrace } from "./trace.js";
import { drawView, onScreen } from "./view.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
let fade = 0;

/** @param {string} words */
function toast(words) {
  const one = element("toast");
  one.textContent = words; one.hidden = false;
  clearTimeout(fade);
  fade = setTimeout(() => { one.hidden = true; }, 5000);
}

/** Go to a volume; pixels and neurons arrive side by side, neighbours are fetched ahead.
 * @param {number} v @param {{key?:string, quiet?:boolean}} [how] */
async function goTo(v, how = {}) {
  if (!state.run.volumes.volume.includes(v)) return;
  const direction = Math.sign(v - state.v) || 1;
  if (v !== state.v && !how.quiet) state.trail.push(state.v);
  const identity = state.identity;
  state.v = v; state.ghosts = [];
  const pixels = fetchStack(v).catch((error) => { toast(String(error.message ?? error)); return null; });
  try {
    const volume = await ask(`/api/volumes/${v}`);
    if (state.v !== v) return;
    state.volume = volume;
    const same = volume.neurons.find((/** @type {any} */ one) => (how.key ? one.key === how.key : one.identity >= 0 && one.identity === identity));
    state.key = same?.key ?? "";
    if (same) showFrame(same);
  } catch (error) { toast(String(error)); }
  await pixels;
  writeAddress();
  changed();
  tellCursor();
  const all = state.run.volumes.volume, row = all.indexOf(v);
  for (const ahead of [direction, 2 * direction, -direction]) if (all[row + ahead] !== undefined) void fetchStack(all[row + ahead]).catch(() => null);
  if (!state.playing) void loadReference();
}

async function loadReference() {
  const v = state.v;
  try {
    if (!state.referenceFixed || !state.reference) {
      const { volume } = await ask(`/api/volumes/${v}/reference`);
      if (state.v !== v) return;
      state.reference = volume === null ? null : await ask(`/api/volumes/${volume}`);
    }
    if (state.reference) {
      void fetchStack(state.reference.volume).catch(() => null);
      const found = await ask(`/api/volumes/${v}/expected?source=${state.reference.volume}`);
      if (state.v === v) state.ghosts = found.expected;
    }
  } catch { /* the reference is a help, not a need */ }
  changed();
}

/** @param {any} one */
function showFrame(one) {
  const frames = one.boxes.map((/** @type {number[]} */ box) => box[0]);
  if (!frames.includes(state.z)) state.z = frames.length ? frames[frames.length >> 1] : Math.max(0, Math.round(toPixels(one.centre_um)[0]));
}

/** @param {any} one */
function choose(one) { state.key = one.key; state.identity = one.identity; showFrame(one); writeAddress(); changed(); }

async function refresh() {
  if (countWaiting()) return;
  const v = state.v;
  const [volume, log] = await Promise.all([ask(`/api/volumes/${v}`), ask(`/api/log?author=${encodeURIComponent(state.author)}`)]);
  if (countWaiting()) return;
  // Answers may overtake each other; an older one never replaces a newer one.
  const older = state.volume?.volume === v && volume.revision < state.volume.revision;
  if (state.v === v && !older) state.volume = volume;
  document.body.dataset.fresh = "yes";
  if (volume.reviewed) state.reviewed.add(v); else state.reviewed.delete(v);
  state.log = log;
  changed();
}

async function loadQueue() { state.queue = await ask("/api/queue"); }

let planned = 0;
/** The queue and the identities follow edits, a moment after the last of them. */
function followEdits() {
  clearTimeout(planned);
  planned = setTimeout(() => void Promise.all([ask("/api/identities"), loadQueue()]).then(([identities]) => { state.run.identities = identities; changed(); }).catch(() => null), 400);
}

async function reloadRun() {
  const before = state.run?.generation;
  state.run = await ask("/api/run");
  state.reviewed = new Set(state.run.reviewed); state.annotated = new Set(state.run.annotated);
  await loadQueue();
  if (before !== undefined && before !== state.run.generation) forgetStacks();
  await refresh().catch(() => null);
  shownTrace = -2;
  changed();
}

/** @param {any} event */
function hear(event) {
  if (event.kind === "edit") {
    for (const v of event.volumes) state.annotated.add(v);
    if (event.volumes.includes(state.v) || event.author === state.author) void refresh().catch(() => null);
    if (event.author !== state.author) toast(`${event.author}: ${event.words}`);
    followEdits();
  } else if (event.kind === "identified") { if (event.volume === state.v) void refresh().catch(() => null); } else if (event.kind === "cursor") {
    if (event.session !== state.session) state.others.set(event.session, { author: event.author, volume: event.volume, at: Date.now() });
    changed();
  } else if (event.kind === "learning") showLearning(event);
  else if (event.kind === "results" || event.kind === "reload") { say(`connected · ${state.author}`, false); void reloadRun().catch(() => null); }
}

function tellCursor() {
  void fetch("/api/cursor", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ author: state.author, session: state.session, volume: state.v }) }).catch(() => null);
}

/** @param {any} news */
function showLearning(news) {
  element("learning").hidden = news.state === "idle";
  element("learning").dataset.state = news.state;
  const share = news.total ? ` ${Math.round((100 * news.done) / news.total)} %` : "";
  element("learning-words").textContent = news.state === "running" ? `${news.words}${share}` : `${news.state}: ${news.words}`;
  element("cancel").textContent = news.state === "running" ? "cancel" : "close";
  const canvas = /** @type {HTMLCanvasElement} */ (element("curve"));
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.clearRect(0, 0, canvas.width, canvas.height);
  const most = Math.max(...news.curve, 1e-9), width = canvas.width / Math.max(1, news.curve.length - 1);
  context.strokeStyle = "#0072b2"; context.beginPath();
  news.curve.forEach((/** @type {number} */ loss, /** @type {number} */ i) => context.lineTo(i * width, canvas.height - 2 - (loss / most) * (canvas.height - 4)));
  context.stroke();
}

async function train() { showLearning(await (await fetch("/api/learning", { method: "POST" })).json()); }
async function cancel() {
  if (element("learning").dataset.state !== "running") { element("learning").hidden = true; return; }
  showLearning(await (await fetch("/api/learning", { method: "DELETE" })).json());
}

/** @param {number} by */
function step(by) { const all = state.run.volumes.volume; const v = all[all.indexOf(state.v) + by]; if (v !== undefined) void goTo(v, { quiet: true }); }
/** @param {number} by */
function frame(by) { state.z = Math.min((state.run.frames || 1) - 1, Math.max(0, state.z + by)); writeAddress(); changed(); }

/** The next doubtful neuron, here or in the next volume that has one. @param {number} by */
async function doubtful(by) {
  const list = (state.volume?.neurons ?? []).filter(isDoubtful).sort((a, b) => a.probability - b.probability || a.key.localeCompare(b.key));
  const row = list.findIndex((one) => one.key === state.key);
  const next = list[row < 0 ? 0 : row + by];
  if (next && !(row < 0 && by < 0)) { choose(next); return; }
  const { volume: all, doubtful: counts } = state.run.volumes;
  for (let i = all.indexOf(state.v) + by; i >= 0 && i < all.length; i += by) if (counts[i] > 0 && !state.reviewed.has(all[i])) {
    await goTo(all[i]);
    const first = (state.volume?.neurons ?? []).filter(isDoubtful)[0];
    if (first) choose(first);
    return;
  }
  toast("nothing further is in doubt");
}

async function enter() {
  if (state.typed) { const identity = Number(state.typed); state.typed = ""; if (selected()) await actions.assign(identity); else toast("select a neuron first"); changed(); return; }
  actions.accept();
  await doubtful(1);
}

function play() {
  state.playing = !state.playing;
  const go = async () => {
    if (!state.playing) return;
    const all = state.run.volumes.volume, next = all[(all.indexOf(state.v) + 1) % all.length];
    await goTo(next, { quiet: true });
    setTimeout(go, 60);
  };
  changed();
  void go();
}

function toggleScope() {
  state.scope = { volume: "onward", onward: "range", range: "volume" }[state.scope] ?? "volume";
  if (state.scope === "range") state.rangeEnd = Number(prompt("Until which volume?", String(state.v + 20)) ?? state.v);
  changed();
}

function contrast() {
  const next = { 1: 1.8, 1.8: 3, 3: 0.6, 0.6: 1 }[state.gain.red] ?? 1;
  state.gain.red = state.gain.green = next;
  state.black.red = state.black.green = 0;
  for (const name of ["red", "green"]) { /** @type {HTMLInputElement} */ (element(`contrast-${name}`)).value = String(100 * next); /** @type {HTMLInputElement} */ (element(`black-${name}`)).value = "0"; }
  changed();
}

/** The next thing in the queue, after the one that is shown. */
function nextInQueue() {
  const items = [...state.queue.volumes, ...state.queue.neurons];
  const item = items[items.findIndex((one) => one.volume === state.v && (one.kind === "volume" || one.identity === state.identity)) + 1];
  if (item) void openItem(item); else toast("the queue is done");
}

/** @param {any} item */
async function openItem(item) { await goTo(item.volume); await showIdentity(item.identity); }
function besides() { state.beside = !state.beside; document.body.classList.toggle("beside", state.beside); changed(); }

function escape() { state.typed = ""; state.swapping = state.merging = ""; state.drawing = false; state.key = ""; state.identity = -1; state.playing = false; state.heading = null; state.outlining = false; state.zoom = 1; state.panX = state.panY = 0; changed(); }
function cycleChannel() { state.channel = { both: "red", red: "green", green: "both" }[state.channel] ?? "both"; writeAddress(); changed(); }
function showKeys() { drawKeys(); /** @type {HTMLDialogElement} */ (element("keys-dialog")).showModal(); }
function turnTheme() { const root = document.documentElement; const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches; root.dataset.theme = dark ? "light" : "dark"; localStorage.setItem("cender-theme", root.dataset.theme); changed(); }

/** @type {import("./keys.js").Binding[]} */
const KEYS = [
  { name: "down", key: "j", words: "next frame", act: () => frame(1) }, { name: "up", key: "k", words: "previous frame", act: () => frame(-1) },
  { name: "before", key: ",", words: "previous volume", act: () => step(-1) }, { name: "after", key: ".", words: "next volume", act: () => step(1) },
  { name: "doubt", key: "]", words: "next doubtful neuron", act: () => void doubtful(1) }, { name: "undoubt", key: "[", words: "previous doubtful neuron", act: () => void doubtful(-1) },
  { name: "accept", key: "Enter", words: "assign what was typed, or accept and go on", act: () => void enter() },
  { name: "erase", key: "Backspace", words: "erase a typed digit", act: () => { state.typed = state.typed.slice(0, -1); changed(); } },
  { name: "unknown", key: "u", words: "none of the known identities", act: () => void actions.assign(-1) },
  { name: "swap", key: "x", words: "swap with the next clicked", act: () => { state.swapping = state.key; changed(); } },
  { name: "new", key: "n", words: "new neuron here: drag a box (or Shift and drag)", act: () => { state.drawing = true; state.key = ""; changed(); } },
  { name: "delete", key: "Delete", words: "delete the neuron", act: actions.removeNeuron }, { name: "delete-box", key: "d", words: "delete its box in this frame", act: actions.removeRegion },
  { name: "merge", key: "m", words: "merge with the next clicked", act: () => { state.merging = state.key; changed(); } }, { name: "split", key: "s", words: "split at this frame", act: actions.splitNeuron },
  { name: "scope", key: "p", words: "scope: this volume, from here on, range", act: toggleScope },
  { name: "reference", key: "r", words: "copy identities from the reference", act: () => { if (state.reference) actions.copyFrom(state.reference.volume); } },
  { name: "neighbour", key: "c", words: "copy identities from the volume before", act: () => { const all = state.run.volumes.volume; const v = all[all.indexOf(state.v) - 1]; if (v !== undefined) actions.copyFrom(v); } },
  { name: "fix", key: "f", words: "keep this reference, or let it follow", act: () => { state.referenceFixed = !state.referenceFixed; toast(state.referenceFixed ? "reference stays" : "reference follows"); } },
  { name: "ghost", key: "a", words: "accept the missing neuron nearest to this frame", act: () => { const near = [...state.ghosts].sort((a, b) => Math.abs(toPixels(a.centre_um)[0] - state.z) - Math.abs(toPixels(b.centre_um)[0] - state.z))[0]; if (near) actions.acceptGhost(near); } },
  { name: "channel", key: "g", words: "red, green or both", act: cycleChannel }, { name: "contrast", key: "C", words: "contrast", act: contrast },
  { name: "hide", key: "h", words: "hide or show boxes", act: () => { state.hidden = !state.hidden; changed(); } }, { name: "labels", key: "l", words: "all numbers, or only what matters", act: () => { state.labels = !state.labels; changed(); } },
  { name: "back", key: "b", words: "back to where I was", act: () => { const v = state.trail.pop(); if (v !== undefined) void goTo(v, { quiet: true }); } },
  { name: "undo", key: "Ctrl+Z", words: "undo", act: actions.undo }, { name: "redo", key: "Ctrl+Shift+Z", words: "redo", act: actions.redo },
  { name: "review", key: "R", words: "mark this volume reviewed", act: actions.review }, { name: "unusable", key: "U", words: "flag this volume unusable", act: actions.flagUnusable },
  { name: "review-identity", key: "I", words: "mark this identity reviewed", act: actions.reviewIdentity },
  { name: "merge-identities", key: "M", words: "this number is the same neuron as another", act: () => void actions.mergeIdentity() }, { name: "split-identity", key: "S", words: "from here on this number is another neuron", act: () => void actions.splitIdentity() },
  { name: "axes", key: "o", words: "set the worm's axes: click middle, nose, belly", act: () => { state.heading = state.heading ? null : []; state.axes = true; changed(); } },
  { name: "outline", key: "O", words: "draw the outline of the head", act: () => { if (state.volume?.head) { state.outlining = !state.outlining; state.axes = true; changed(); } else toast("set the axes first (o)"); } },
  { name: "show-axes", key: "w", words: "show or hide the worm's axes", act: () => { state.axes = !state.axes; changed(); } }, { name: "machine-axes", key: "W", words: "leave the axes to the machine", act: actions.forgetHead },
  { name: "note", key: "i", words: "note on this volume", act: actions.noteVolume }, { name: "next", key: "q", words: "next in the queue", act: nextInQueue },
  { name: "beside", key: "v", words: "reference side by side, large", act: besides },
  { name: "export", key: "E", words: "export points.csv", act: () => element("export").click() }, { name: "theme", key: "t", words: "light or dark", act: turnTheme },
  { name: "name", key: "N", words: "name this identity", act: actions.nameIdentity }, { name: "train", key: "T", words: "train and identify again", act: () => void train() },
  { name: "play", key: "Space", words: "play the recording", act: play }, { name: "find", key: "/", words: "search identities", act: () => element("search").focus() },
  { name: "zoom-in", key: "+", words: "zoom in (Ctrl and wheel too)", act: () => { state.zoom *= 1.3; changed(); } }, { name: "zoom-out", key: "-", words: "zoom out", act: () => { state.zoom /= 1.3; changed(); } },
  { name: "escape", key: "Escape", words: "let go of everything, whole frame", act: escape }, { name: "keys", key: "?", words: "these keys", act: showKeys },
];

/** @param {any} item @param {any} answer */
function showConflict(item, answer) {
  const dialog = /** @type {HTMLDialogElement} */ (element("conflict-dialog"));
  element("conflict-theirs").textContent = `${answer.conflict.author}, ${new Date(answer.conflict.time).toLocaleTimeString()}: ${answer.conflict.words}`;
  element("conflict-mine").textContent = `${state.author}: ${item.words}`;
  element("keep-theirs").onclick = () => { dialog.close(); void refresh(); };
  element("make-mine").onclick = () => { dialog.close(); send(item.path, { ...item.body, base_revision: null, ticket: crypto.randomUUID() }, item.words); };
  if (!dialog.open) dialog.showModal();
}

let shownTrace = -2;
async function followTrace() {
  if (state.identity === shownTrace || state.playing) return;
  const wanted = (shownTrace = state.identity);
  state.trace = wanted < 0 ? null : await ask(`/api/identities/${wanted}/trace`).catch(() => null);
  changed();
}

/** @param {number} identity */
async function showIdentity(identity) {
  state.identity = identity;
  const one = state.volume?.neurons.find((each) => each.identity === identity);
  if (one) choose(one); else { state.key = ""; const ghost = state.ghosts.find((each) => each.identity === identity); if (ghost) state.z = Math.round(toPixels(ghost.centre_um)[0]); changed(); }
}

async function begin() {
  const theme = localStorage.getItem("cender-theme");
  if (theme) document.documentElement.dataset.theme = theme;
  state.run = await ask("/api/run");
  const given = new URLSearchParams(location.search).get("author");
  state.author = given || state.run.author;
  state.reviewed = new Set(state.run.reviewed); state.annotated = new Set(state.run.annotated);
  for (const draw of [drawHeader, drawView, drawStrip, drawProjections, drawReference, drawSpace, drawTrace, drawLog, () => void fetchRaw(state.v), () => drawQueue((item) => void openItem(item)), () => drawIdentities((identity) => void showIdentity(identity)), () => void followTrace()]) onChange(draw);
  openKeys(KEYS, (digit) => { state.typed = (state.typed + digit).slice(0, 6); changed(); });
  openTrace((v) => void goTo(v));
  openSpace(choose);
  const buttons = { undo: actions.undo, redo: actions.redo, train: () => void train(), cancel: () => void cancel(), help: showKeys, theme: turnTheme, channel: cycleChannel, scope: toggleScope, play, beside: besides };
  for (const [id, act] of Object.entries(buttons)) element(id).addEventListener("click", (event) => { act(); /** @type {HTMLElement} */ (event.currentTarget).blur(); });
  for (const name of /** @type {const} */ (["red", "green"])) element(`black-${name}`).addEventListener("input", (event) => { state.black[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
  for (const name of /** @type {const} */ (["red", "green"])) element(`contrast-${name}`).addEventListener("input", (event) => { state.gain[name] = Number(/** @type {HTMLInputElement} */ (event.target).value) / 100; changed(); });
  addEventListener("resize", changed);
  openOutbox({ conflict: showConflict, refused: (words) => { toast(words); void refresh(); }, saved: () => void refresh().catch(() => null) });
  listen(hear);
  const where = readAddress();
  state.channel = where.c;
  state.z = where.z ?? Math.floor((state.run.frames || 2) / 2);
  await loadQueue();
  void ask("/api/windows").then((windows) => { state.windows = windows; }).catch(() => null);
  state.v = where.v ?? state.queue.volumes[0]?.volume ?? state.run.volumes.volume[0];
  await goTo(state.v, { key: where.k, quiet: true });
  if (state.volume) state.identity = selected()?.identity ?? -1;
  state.log = await ask(`/api/log?author=${encodeURIComponent(state.author)}`);
  showLearning(await ask("/api/learning"));
  say(`connected · ${state.author}`, false);
  document.body.dataset.ready = document.body.dataset.fresh = "yes";
  changed();
}

/** For tests and the curious: what the page shows. */
const shown = { onScreen, stackOf, select: (/** @type {string} */ key) => { const one = state.volume?.neurons.find((each) => each.key === key); if (one) choose(one); }, goTo: async (/** @type {number} */ v, /** @type {number|null} */ z) => { await goTo(v, { quiet: true }); if (z !== null) frame(z - state.z); }, showFrame: (/** @type {number} */ z) => frame(z - state.z) };
Object.assign(window, { cender: Object.assign(Object.create(state), shown) });
begin().catch((error) => say(String(error.message ?? error), true));
