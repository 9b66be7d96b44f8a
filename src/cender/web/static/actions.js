// @ts-check
/** What a person does: shown at once, then sent; the log on the server is the truth. */
import { ask, send, whileBusy } from "./api.js";
import { askNumber, askText, toast } from "./dialogs.js";
import { followThroughZ, stackOf } from "./pixels.js";
import { changed, nameOf, selected, state, toMicrometres, toPixels } from "./state.js";

/** @typedef {import("./state.js").Neuron} Neuron */

/** @param {Neuron} one */
const spot = (one) => ({ volume: state.v, key: one.key, place_um: one.anchor_um, ...(one.edited || !one.anchor_um ? {} : { boxes: one.boxes.map(toBox) }) });
/** @param {number[]} box */
const toBox = (box) => ({ z: box[0], x: box[1], y: box[2], w: box[3], h: box[4] });
/** A neuron as messages call it: its number, never its key. @param {{identity:number}} one */
const say = (one) => (one.identity >= 0 ? `#${one.identity}` : "a neuron");
const newKey = () => "h" + crypto.randomUUID().slice(0, 18);

/** @param {any} edit @param {string} words */
function make(edit, words) {
  const one = selected();
  if (one) state.identity = one.identity;
  send("/api/edits", { base_revision: state.volume?.revision ?? null, edit }, words);
  changed();
}

/** The selected neuron; where there is none, the page says so. */
function findChosen() { const one = selected(); if (!one) toast("select a neuron first"); return one; }

/** The selected identity; where there is none, the page says so. */
function findNumber() { if (state.identity < 0) toast("select a neuron with a number first"); return state.identity; }

/** @param {number[][]} boxes */
function centreOf(boxes) {
  const sum = [0, 0, 0];
  for (const [z, x, y, w, h] of boxes) { sum[0] += z; sum[1] += y + (h - 1) / 2; sum[2] += x + (w - 1) / 2; }
  return toMicrometres(sum.map((value) => value / boxes.length));
}

/** Spots of an identity in the volumes of the scope. @param {number} identity @returns {Promise<any[]>} */
async function spotsInScope(identity) {
  const all = state.run.volumes.volume;
  const stop = state.scope === "range" ? Math.max(state.rangeEnd, state.v) + 1 : all[all.length - 1] + 1;
  return (await ask(`/api/identities/${identity}/spots?first=${state.v}&stop=${stop}`)).spots;
}

/** Give the selected neuron an identity (through all its frames; in later volumes too, as the scope says).
 * @param {number} identity */
export async function assign(identity) {
  const one = findChosen(), volume = state.volume;
  if (!one) return;
  const before = one.identity, v = state.v, mine = spot(one);
  if (state.scope !== "volume" && before < 0) toast("it had no number by which to find it elsewhere: only this volume is changed");
  const others = state.scope === "volume" || before < 0 ? [] : await whileBusy(() => spotsInScope(before));
  if (!others) return;
  const spots = [mine, ...others.filter((each) => each.volume !== v)];
  for (const other of volume?.neurons ?? []) if (other !== one && identity >= 0 && other.identity === identity) { other.identity = -1; other.probability = 0; }
  one.identity = identity; one.human = true; one.probability = 1;
  state.identity = identity;
  make({ kind: "assign", spots: spots.map(({ boxes, ...rest }) => rest), identity }, `${say({ identity: before })} is #${identity} in ${spots.length > 1 ? spots.length + " volumes" : "volume " + v}`);
}

/** Accept what is selected; true where there was something to accept. */
export function accept() {
  const one = selected();
  const ghost = state.ghosts.find((each) => each.identity === state.identity);
  if (!one && ghost) { acceptGhost(ghost); return true; }
  if (!one || one.identity < 0) return false;
  if (!one.human) {
    one.human = true; one.probability = 1;
    const { boxes, ...place } = /** @type {any} */ (spot(one));
    make({ kind: "accept", spot: place, identity: one.identity }, `#${one.identity} accepted in volume ${state.v}`);
  }
  return true;
}

/** Width of a usual box of this volume. */
function usualSide() {
  const sizes = (state.volume?.neurons ?? []).flatMap((one) => one.boxes.map((box) => box[3])).sort((a, b) => a - b);
  return sizes[sizes.length >> 1] ?? 7;
}

/** A new neuron of usual size about a place in this frame. @param {number[]} place x, y in full-frame pixels */
export function putNew([x, y]) {
  const side = usualSide();
  state.key = "";
  addBox([x - (side - 1) / 2, y - (side - 1) / 2, side, side].map((value) => Math.round(value * 10) / 10));
}

/** @param {{identity:number, centre_um:number[]}} ghost */
export function acceptGhost(ghost) {
  const [z, y, x] = toPixels(ghost.centre_um), frame = Math.max(0, Math.round(z)), side = usualSide();
  const box = [x - (side - 1) / 2, y - (side - 1) / 2, side, side].map((value) => Math.round(value * 10) / 10);
  addNeuron(throughZ(frame, box), ghost.identity, ghost.centre_um);
  state.ghosts = state.ghosts.filter((one) => one !== ghost);
}

/** @param {number[][]} boxes @param {number|null} identity @param {number[]} [centre] */
function addNeuron(boxes, identity, centre) {
  const key = newKey(), centre_um = centre ?? centreOf(boxes);
  state.volume?.neurons.push({ key, identity: identity ?? -1, probability: identity === null ? 0 : 1, human: identity !== null, edited: true, machine: -1, anchor_um: null, centre_um, boxes });
  state.key = key;
  make({ kind: "add_neuron", volume: state.v, key, centre_um, boxes: boxes.map(toBox), identity }, `new neuron in volume ${state.v}`);
}

/** A box drawn in this frame: a box of the selected neuron where it has none here, else a new neuron through z.
 * @param {number[]} box */
export function addBox(box) {
  const one = selected();
  if (one && one.boxes.length && !one.boxes.some((each) => each[0] === state.z)) {
    const place = spot(one);
    one.boxes.push([state.z, ...box]); one.edited = true; one.centre_um = centreOf(one.boxes);
    make({ kind: "add_region", spot: place, box: toBox([state.z, ...box]), centre_um: one.centre_um }, `box added to ${say(one)}`);
    return;
  }
  addNeuron(throughZ(state.z, box), null);
}

/** A box of one frame in all neighbouring frames in which it is bright too. @param {number} z @param {number[]} box */
function throughZ(z, box) {
  const stack = stackOf(state.v);
  const [first, last] = stack && z < stack.depth ? followThroughZ(stack, z, box) : [z, z];
  return Array.from({ length: last - first + 1 }, (_, i) => [first + i, ...box]);
}

/** @param {number[]} box @param {"move"|"resize"} kind */
export function moveBox(box, kind) {
  const one = findChosen();
  const mine = one?.boxes.find((each) => each[0] === state.z);
  if (!one || !mine) return;
  const place = spot(one);
  mine.splice(1, 4, ...box);
  one.edited = true; one.centre_um = centreOf(one.boxes);
  make({ kind: kind === "move" ? "move_region" : "resize_region", spot: place, box: toBox(mine), centre_um: one.centre_um }, `box of ${say(one)} ${kind}d`);
}

export function removeNeuron() {
  const one = findChosen();
  if (!one || !state.volume) return;
  state.volume.neurons = state.volume.neurons.filter((each) => each !== one);
  state.key = "";
  make({ kind: "delete_neuron", spot: spot(one) }, `${say(one)} is no neuron in volume ${state.v}`);
}

export function removeRegion() {
  const one = findChosen();
  if (!one) return;
  if (!one.boxes.some((each) => each[0] === state.z)) { toast("the neuron has no box in this frame"); return; }
  if (one.boxes.length === 1) { removeNeuron(); return; }
  const place = spot(one);
  one.boxes = one.boxes.filter((each) => each[0] !== state.z); one.edited = true;
  make({ kind: "delete_region", spot: place, z: state.z, centre_um: centreOf(one.boxes) }, `box of ${say(one)} in frame ${state.z} deleted`);
}

export function splitNeuron() {
  const one = findChosen();
  if (!one) return;
  const low = one.boxes.filter((box) => box[0] < state.z), high = one.boxes.filter((box) => box[0] >= state.z);
  if (!low.length || !high.length) { toast("a neuron is split between two of its frames: go to the first frame of the second part"); return; }
  make({ kind: "split_neuron", spot: spot(one), z: state.z, key: newKey(), centre_um: centreOf(low), new_centre_um: centreOf(high) }, `${say(one)} split at frame ${state.z}`);
}

/** A click that completes a swap or a merge; true where it did. @param {Neuron} hit */
export function assignClicked(hit) {
  const first = state.volume?.neurons.find((one) => one.key === (state.swapping || state.merging));
  if (!first || first === hit) return false;
  if (state.swapping) void swap(first, hit);
  else make({ kind: "merge_neurons", kept: spot(first), gone: spot(hit), centre_um: centreOf([...first.boxes, ...hit.boxes]) }, `${say(hit)} merged into ${say(first)}`);
  state.swapping = state.merging = "";
  changed();
  return true;
}

/** @param {Neuron} a @param {Neuron} b */
async function swap(a, b) {
  if (a.identity < 0 || b.identity < 0) {
    const given = Math.max(a.identity, b.identity), to = a.identity < 0 ? a : b;
    if (given >= 0) { state.key = to.key; await assign(given); } else toast("neither of them has a number");
    return;
  }
  const found = state.scope === "volume" ? [[spot(a)], [spot(b)]] : await whileBusy(() => Promise.all([spotsInScope(a.identity), spotsInScope(b.identity)]));
  if (!found) return;
  const [firsts, seconds] = found;
  const plain = (/** @type {any[]} */ list) => list.map(({ boxes, ...rest }) => rest);
  const edit = { kind: "swap", first: a.identity, second: b.identity, first_spots: plain(firsts), second_spots: plain(seconds) };
  [a.identity, b.identity] = [b.identity, a.identity];
  a.human = b.human = true; a.probability = b.probability = 1;
  make(edit, `#${edit.first} ↔ #${edit.second}`);
}

/** Copy identities from the reference, or from a neighbour. @param {number} source */
export function copyFrom(source) { send("/api/copies", { source, volume: state.v }, `copied from volume ${source}`); }

export function review() {
  const one = state.volume;
  if (!one) return;
  const accepted = one.reviewed ? [] : one.neurons.filter((each) => each.identity >= 0).map((each) => { const { boxes, ...place } = /** @type {any} */ (spot(each)); return { spot: place, identity: each.identity }; });
  one.reviewed = !one.reviewed;
  if (one.reviewed) { for (const each of one.neurons) if (each.identity >= 0) { each.human = true; each.probability = 1; } state.reviewed.add(state.v); } else state.reviewed.delete(state.v);
  make({ kind: "review_volume", volume: state.v, reviewed: one.reviewed, accepted }, `volume ${state.v} ${one.reviewed ? "reviewed" : "not reviewed"}`);
}

export function flagUnusable() {
  const one = state.volume;
  if (!one) return;
  const unusable = one.unusable === null;
  one.unusable = unusable ? "flagged by a person" : null;
  make({ kind: "flag_unusable", volume: state.v, unusable }, `volume ${state.v} ${unusable ? "unusable" : "usable"}`);
}

/** Every place of an identity from a volume on. @param {number} identity @param {number} first */
async function spotsFrom(identity, first) {
  const all = state.run.volumes.volume;
  const spots = await whileBusy(async () => (await ask(`/api/identities/${identity}/spots?first=${first}&stop=${all[all.length - 1] + 1}`)).spots);
  if (spots && !spots.length) toast(`#${identity} is in no volume from ${first} on`);
  return spots ?? [];
}

/** The selected identity is the same neuron as another number, in all volumes. */
export async function mergeIdentity() {
  const gone = findNumber();
  if (gone < 0) return;
  const kept = await askNumber(`#${gone} is the same neuron as number …`, "");
  if (kept === null || kept === gone) return;
  const spots = await spotsFrom(gone, 0);
  if (spots.length) make({ kind: "merge_identities", kept, gone, spots }, `#${gone} becomes #${kept}`);
}

/** From this volume on the selected identity is another neuron: it gets a new number. */
export async function splitIdentity() {
  const identity = findNumber();
  if (identity < 0) return;
  const free = 1 + Math.max(...state.run.identities.map((/** @type {any} */ one) => one.identity));
  const spots = await spotsFrom(identity, state.v);
  if (spots.length) make({ kind: "split_identity", identity, new: free, spots }, `#${identity} is #${free} from volume ${state.v} on`);
}

export function reviewIdentity() {
  const one = findNumber() < 0 ? null : state.run.identities.find((/** @type {any} */ each) => each.identity === state.identity);
  if (!one) return;
  one.reviewed = !one.reviewed;
  make({ kind: "review_identity", identity: one.identity, reviewed: one.reviewed }, `#${one.identity} ${one.reviewed ? "reviewed" : "not reviewed"}`);
}

export async function noteVolume() {
  const one = state.volume;
  if (!one) return;
  const note = await askText(`Note on volume ${state.v}`, one.note);
  if (note !== null) { one.note = note; make({ kind: "note_volume", volume: state.v, note }, `note on volume ${state.v}`); }
}

/** @param {number[]} from @param {number[]} to as y, x */
function direction(from, to) {
  const length = Math.hypot(to[0] - from[0], to[1] - from[1]);
  return length ? [(to[0] - from[0]) / length, (to[1] - from[1]) / length] : null;
}

/** The worm's axes from three clicks: origin, towards the nose, towards the belly. @param {number[][]} clicks as y, x */
export function setAxes(clicks) {
  const one = state.volume, [origin, nose, belly] = clicks;
  const anterior = direction(origin, nose), ventral = direction(origin, belly);
  if (!one) return;
  if (!anterior || !ventral) { toast("nose and belly are elsewhere than the middle of the head"); return; }
  one.head = { origin_yx: origin, anterior_yx: anterior, ventral_yx: ventral, outline_yx: one.head?.outline_yx ?? [], human: true };
  sendHead();
}

/** @param {number[][]} outline as y, x */
export function setOutline(outline) {
  const one = state.volume;
  if (!one || outline.length < 3) return;
  if (!one.head) return;
  one.head = { ...one.head, outline_yx: outline, human: true };
  sendHead();
}

function sendHead() {
  const head = state.volume?.head;
  if (!head) return;
  const { human, ...rest } = head;
  make({ kind: "set_head", volume: state.v, head: rest }, `head of volume ${state.v} set`);
}

/** Leave the axes to the machine again. */
export function forgetHead() {
  if (!state.volume?.head?.human) toast("the head of this volume is set by the machine already"); else make({ kind: "set_head", volume: state.v, head: null }, `head of volume ${state.v} left to the machine`);
}

export async function nameIdentity() {
  const identity = findNumber();
  if (identity < 0) return;
  const name = await askText(`Name of #${identity}, such as AVAL`, nameOf(identity));
  if (name !== null) make({ kind: "name_identity", identity, name }, `#${identity} is ${name}`);
}

export const undo = () => send("/api/undo", {}, "undo");
export const redo = () => send("/api/redo", {}, "redo");
