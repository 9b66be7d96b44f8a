// @ts-check
/** Going to a volume, a frame, a neuron; and loading again what others or the machine changed. */
import { ask, countMade, countWaiting } from "./api.js";
import { toast } from "./dialogs.js";
import { fetchStack, forgetStacks } from "./pixels.js";
import { changed, isDoubtful, rowOf, selected, state, toPixels } from "./state.js";
import { bringIntoView } from "./view.js";

/** @typedef {import("./state.js").Neuron} Neuron */

/** The volume that was asked for last, how often one was asked for, and which of these is shown.
 * Keys and mouse change what is shown, never a volume that is still on its way. */
let wanted = -1, asked = 0, arrived = 0;
/** @type {Promise<boolean>} */ let arriving = Promise.resolve(true);

/** How to go to a volume: what is selected there (a neuron's key, an identity, or one that is picked), and the frame;
 * quiet: not a place to come back to.
 * @typedef {{key?:string, z?:number, identity?:number, pick?:(neurons:Neuron[]) => Neuron|undefined, quiet?:boolean}} How */

/** Go to a volume; pixels and neurons arrive side by side, neighbours are fetched ahead.
 * @param {number} v @param {How} [how]
 * @returns {Promise<boolean>} whether it is shown */
export async function goTo(v, how = {}) {
  const row = rowOf(v);
  if (row < 0) { toast(`volume ${v} is not part of this run`); return false; }
  const turn = ++asked, direction = Math.sign(v - state.v) || 1;
  wanted = v;
  const pixels = fetchStack(v).catch(() => null);
  arriving = ask(`/api/volumes/${v}`).then((volume) => {
    if (turn < arrived) return false;
    arrived = turn;
    show(volume, how);
    return true;
  }, (error) => {
    if (turn === asked) { arrived = turn; wanted = state.v; }
    toast(String(error.message ?? error));
    return false;
  });
  if (!await arriving) return false;
  await pixels;
  changed();
  if (turn < asked) return state.v === v;
  tellCursor();
  const all = state.run.volumes.volume;
  for (const ahead of [direction, 2 * direction, -direction]) if (all[row + ahead] !== undefined) void fetchStack(all[row + ahead]).catch(() => null);
  if (!state.playing) void loadReference();
  return true;
}

/** @param {import("./state.js").Volume} volume @param {How} how */
function show(volume, how) {
  const v = volume.volume;
  if (v !== state.v && !how.quiet) state.trail.push({ v: state.v, z: state.z, key: state.key, identity: state.identity });
  if (v !== state.v) state.ghosts = [];
  state.z = how.z ?? state.z; state.identity = how.identity ?? state.identity;
  state.v = v; state.volume = volume;
  const same = volume.neurons.find((one) => (how.key ? one.key === how.key : one.identity >= 0 && one.identity === state.identity));
  state.key = same?.key ?? "";
  const picked = how.pick?.(volume.neurons);
  if (picked) choose(picked); else if (same) showFrameOf(same);
}

/** Whether a volume that was asked for is still on its way. */
export const isArriving = () => arrived < asked;

/** Do something to the volume that was asked for, once it is shown. @param {() => void} act */
export async function whenArrived(act) {
  let isShown = true;
  while (isArriving()) isShown = await arriving;
  if (isShown) act();
}

/** Back to where I was before I was sent elsewhere. */
export async function goBack() {
  const place = state.trail.pop();
  if (!place) { toast("there is no earlier place"); return; }
  if (!await goTo(place.v, { key: place.key, z: place.z, identity: place.identity, quiet: true })) state.trail.push(place);
}

export async function loadReference() {
  const v = state.v;
  try {
    const volume = state.fixed ?? (await ask(`/api/volumes/${v}/reference`)).volume;
    if (state.v !== v) return;
    const isThere = state.fixed !== null && state.reference?.volume === volume && state.reference?.generation === state.run.generation;
    if (!isThere) state.reference = volume === null ? null : await ask(`/api/volumes/${volume}`);
    if (state.reference) {
      void fetchStack(state.reference.volume).catch(() => null);
      await loadGhosts();
    }
  } catch { /* the reference is a help, not a need */ }
  changed();
}

/** What the reference has and this volume lacks, and where it is expected. */
async function loadGhosts() {
  const v = state.v, source = state.reference?.volume;
  if (source === undefined) return;
  const found = await ask(`/api/volumes/${v}/expected?source=${source}`);
  if (state.v === v && state.reference?.volume === source && !countWaiting()) { state.ghosts = found.expected; changed(); }
}

/** Show a frame in which a neuron has a box. @param {Neuron} one */
function showFrameOf(one) {
  const frames = one.boxes.map((box) => box[0]);
  if (!frames.includes(state.z)) state.z = frames.length ? frames[frames.length >> 1] : Math.max(0, Math.round(toPixels(one.centre_um)[0]));
}

/** @param {number} z */
export function showFrame(z) { state.z = Math.min((state.run.frames || 1) - 1, Math.max(0, z)); changed(); }

/** @param {Neuron} one */
export function choose(one) { state.key = one.key; state.identity = one.identity; showFrameOf(one); bringIntoView(one); changed(); }

/** Show an identity in this volume, or where it is missing. @param {number} identity */
export function showIdentity(identity) {
  state.identity = identity;
  const one = state.volume?.neurons.find((each) => each.identity === identity);
  if (one) { choose(one); return; }
  state.key = "";
  const ghost = state.ghosts.find((each) => each.identity === identity);
  if (ghost) showFrame(Math.round(toPixels(ghost.centre_um)[0]));
  changed();
}

/** @param {number} by */
export function step(by) { const v = state.run.volumes.volume[rowOf(isArriving() ? wanted : state.v) + by]; if (v !== undefined) void goTo(v, { quiet: true }); }

/** The next doubtful neuron, here or in the next volume that has one. @param {number} by */
export async function goToDoubtful(by) {
  const sort = (/** @type {Neuron[]} */ list) => list.filter(isDoubtful).sort((a, b) => a.probability - b.probability || a.key.localeCompare(b.key));
  const list = sort(state.volume?.neurons ?? []);
  const row = list.findIndex((one) => one.key === state.key);
  const next = list[row < 0 ? 0 : row + by];
  if (next && !(row < 0 && by < 0)) { choose(next); return; }
  const { volume: all, doubtful: counts } = state.run.volumes;
  for (let i = rowOf(state.v) + by; i >= 0 && i < all.length; i += by) if (counts[i] > 0 && !state.reviewed.has(all[i])) {
    /** @type {Neuron|undefined} */ let first;
    if (!await goTo(all[i], { pick: (neurons) => (first = sort(neurons)[0]) })) return;
    // People may have settled here all that the machine doubted.
    if (first) return;
  }
  toast("nothing further is in doubt");
}

/** @param {any} item of the queue */
const nameItem = (item) => `${item.kind} ${item.volume} ${item.identity}`;

/** The next thing in the queue, after the one that was opened if it is still shown, else after what is shown. */
export function goToNext() {
  const items = [...state.queue.volumes, ...state.queue.neurons];
  const isShown = (/** @type {any} */ one) => one.volume === state.v && (one.kind === "volume" || one.identity === state.identity);
  const at = items.findIndex((one) => nameItem(one) === state.opened && isShown(one));
  const item = items[(at < 0 ? items.findIndex(isShown) : at) + 1];
  if (item) void openItem(item); else toast("the queue is done");
}

/** @param {any} item of the queue */
export async function openItem(item) { state.opened = nameItem(item); if (await goTo(item.volume)) showIdentity(item.identity); }

let plays = 0;
export function play() {
  state.playing = !state.playing;
  const mine = ++plays;
  const go = async () => {
    if (!state.playing || mine !== plays) return;
    const all = state.run.volumes.volume;
    const isShown = await goTo(all[(rowOf(state.v) + 1) % all.length], { quiet: true });
    setTimeout(go, isShown ? 60 : 700);
  };
  changed();
  if (state.playing) void go(); else void loadReference();
}

/** What is selected is selected everywhere, also when its identity became another one; what is gone is not. */
function followSelected() {
  const one = selected();
  if (one) state.identity = one.identity; else state.key = "";
}

/** Load this volume and what was done again, unless something is still to be sent. */
export async function refresh() {
  if (countWaiting()) return;
  const v = state.v, made = countMade();
  const [volume, log] = await Promise.all([ask(`/api/volumes/${v}`), ask(`/api/log?author=${encodeURIComponent(state.author)}`)]);
  // An answer that was asked for before an edit lacks it, even if the edit has been saved meanwhile; its own refresh follows.
  if (countWaiting() || made !== countMade()) return;
  // Answers may overtake each other; an older one never replaces a newer one.
  const older = state.volume?.volume === v && volume.revision < state.volume.revision;
  if (state.v === v && !older) { state.volume = volume; followSelected(); }
  document.body.dataset.fresh = "yes";
  if (volume.reviewed) state.reviewed.add(v); else state.reviewed.delete(v);
  if (volume.neurons.some((/** @type {Neuron} */ one) => one.human || one.edited)) state.annotated.add(v); else state.annotated.delete(v);
  state.log = log;
  changed();
  await loadGhosts().catch(() => null);
}

/** Ask what is worth a look. The volume that is shown keeps its place until it is reviewed, though every correction changes what is best. */
export async function loadQueue() {
  const begun = state.queue.volumes.findIndex((/** @type {any} */ one) => one.volume === state.v), mine = state.queue.volumes[begun];
  const queue = await ask("/api/queue");
  if (mine && !state.reviewed.has(state.v) && mine.volume === state.v) {
    const now = queue.volumes.findIndex((/** @type {any} */ one) => one.volume === state.v);
    queue.volumes.splice(begun, 0, ...(now < 0 ? [mine] : queue.volumes.splice(now, 1)));
  }
  state.queue = queue;
}

export async function reloadRun() {
  const before = state.run?.generation;
  state.run = await ask("/api/run");
  state.reviewed = new Set(state.run.reviewed); state.annotated = new Set(state.run.annotated);
  await loadQueue();
  if (before !== undefined && before !== state.run.generation) forgetStacks();
  await fetchStack(state.v).catch(() => null);
  await refresh().catch(() => null);
  await loadReference();
}

export function tellCursor() {
  void fetch("/api/cursor", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ author: state.author, session: state.session, volume: state.v }) }).catch(() => null);
}
