// @ts-check
/** Every key and what it does, in groups as the list of keys shows them. */
import * as actions from "./actions.js";
import { askNumber, toast } from "./dialogs.js";
import { askAxes, askOutline, isSetting, leaveHead, moveCross, setPoint, takeBackPoint } from "./head.js";
import { drawKeys } from "./keys.js";
import { train } from "./learning.js";
import { nudge, pointerAt } from "./mouse.js";
import { changed, rowOf, selected, state } from "./state.js";
import { choose, goBack, goTo, goToDoubtful, goToNext, isArriving, play, showFrame, step, whenArrived } from "./travel.js";
import { bringIntoView, inFrame, nearestGhost, neuronToward } from "./view.js";

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Assign what was typed, or complete a swap or merge with it, or accept and go on. */
async function enter() {
  if (isSetting()) { setPoint(); return; }
  if (!state.typed) { actions.accept(); await goToDoubtful(1); return; }
  const identity = Number(state.typed);
  state.typed = "";
  const meant = state.swapping || state.merging ? state.volume?.neurons.find((one) => one.identity === identity) : null;
  if (state.swapping || state.merging) { if (!meant || !actions.assignClicked(meant)) toast(`#${identity} is not in this volume`); }
  else if (selected()) await actions.assign(identity);
  else toast("select a neuron first");
  changed();
}

export async function toggleScope() {
  const next = { volume: "onward", onward: "range", range: "volume" }[state.scope] ?? "volume";
  state.scope = next; state.rangeEnd = Math.max(state.rangeEnd, state.v);
  changed();
  if (next !== "range") return;
  const end = await askNumber("Assign and swap from this volume until volume …", String(state.v + 20));
  if (end === null || end < state.v) state.scope = "volume"; else state.rangeEnd = end;
  changed();
}

/** @param {number} gain */
export function setContrast(gain) {
  state.gain.red = state.gain.green = gain;
  state.black.red = state.black.green = 0;
  showContrast();
  changed();
}
/** Set the sliders to what is shown. */
export function showContrast() {
  for (const name of /** @type {const} */ (["red", "green"])) { /** @type {HTMLInputElement} */ (element(`contrast-${name}`)).value = String(100 * state.gain[name]); /** @type {HTMLInputElement} */ (element(`black-${name}`)).value = String(100 * state.black[name]); }
}
const stepContrast = () => setContrast({ 1: 1.8, 1.8: 3, 3: 0.6, 0.6: 1 }[state.gain.red] ?? 1);

export async function goToVolume() {
  const v = await askNumber("Go to volume …", String(state.v));
  if (v !== null) await goTo(v);
}

/** A new neuron under the mouse, or in the middle of the frame. */
function putNew() {
  const stage = element("frame");
  actions.putNew(pointerAt() ?? inFrame(stage.clientWidth / 2, stage.clientHeight / 2));
}

/** Close to the selected neuron, or the whole frame again. */
function closeUp() {
  const near = state.zoom <= 1.05;
  state.zoom = near ? 3.5 : 1; state.panX = state.panY = 0;
  const one = selected();
  if (near && one) bringIntoView(one, true);
  changed();
}

function copyBefore() {
  const v = state.run.volumes.volume[rowOf(state.v) - 1];
  if (v === undefined) toast("there is no volume before this one"); else actions.copyFrom(v);
}

/** @param {"swapping"|"merging"} what */
function waitFor(what) { if (!selected()) { toast("select a neuron first"); return; } state[what] = state[what] ? "" : state.key; changed(); }

/** @param {number} dx @param {number} dy */
function look(dx, dy) { if (isSetting()) { moveCross(dx, dy, false); return; } const one = neuronToward(dx, dy); if (one) choose(one); }

function escape() {
  state.typed = ""; state.swapping = state.merging = ""; state.key = ""; state.identity = -1;
  state.playing = false; leaveHead(); state.zoom = 1; state.panX = state.panY = 0;
  changed();
}

export function besides() { state.beside = !state.beside; document.body.classList.toggle("beside", state.beside); changed(); }
function fixReference() { state.fixed = state.fixed === null ? state.reference?.volume ?? null : null; toast(state.fixed === null ? "the reference follows" : "the reference stays"); changed(); }
export function flatten() { state.flat = !state.flat; changed(); }
export function cycleChannel() { if (state.run.channels.length < 2) { toast("this recording has one channel"); return; } state.channel = { both: "red", red: "green", green: "both" }[state.channel] ?? "both"; changed(); }
export function showKeys() { drawKeys(); /** @type {HTMLDialogElement} */ (element("keys-dialog")).showModal(); }
export function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("cender-theme", root.dataset.theme);
  changed();
}

/** @param {string} group @param {[string, string, string, () => void, (() => void)?][]} rows name, key, words, what it does, and what letting go does */
const list = (group, rows) => rows.map(([name, key, words, act, release]) => ({ group, name, key, words, act, release }));
/** What the machine says is accepted only by who has seen it. */
const ACCEPTING = ["accept", "ghost", "review"];
/** Keys that change something wait for a volume that is on its way, and act once however long they are held.
 * @type {typeof list} */
const work = (group, rows) => list(group, rows).map((one) => ({
  ...one,
  once: !/^(move|size|erase)/.test(one.name),
  act: () => { if (isArriving() && ACCEPTING.includes(one.name) && !state.typed) toast("the next volume is on its way: look first, then press again"); else void whenArrived(one.act); },
}));
/** @type {[string, number, number][]} */
const ARROWS = [["Left", -1, 0], ["Right", 1, 0], ["Up", 0, -1], ["Down", 0, 1]];

/** @type {import("./keys.js").Binding[]} */
export const KEYS = [
  ...list("go", [
    ["down", "j", "next frame (wheel too)", () => showFrame(state.z + 1)], ["up", "k", "previous frame", () => showFrame(state.z - 1)],
    ["before", ",", "previous volume", () => step(-1)], ["after", ".", "next volume", () => step(1)],
    ["doubt", "]", "next doubtful neuron", () => void whenArrived(() => void goToDoubtful(1))], ["undoubt", "[", "previous doubtful neuron", () => void whenArrived(() => void goToDoubtful(-1))],
    ["volume", "G", "go to volume …", () => void goToVolume()], ["next", "q", "next in the queue", goToNext], ["back", "b", "back to where I was", () => void goBack()],
    ...ARROWS.map(([way, dx, dy]) => /** @type {[string, string, string, () => void]} */ ([`look-${way}`, `Arrow${way}`, `select the neuron ${{ Left: "to the left", Right: "to the right", Up: "above", Down: "below" }[way]}`, () => look(dx, dy)])),
    ["find", "/", "search identities", () => element("search").focus()], ["play", "Space", "play the recording", play],
  ]),
  ...work("volume and head", [
    ["review", "R", "mark this volume reviewed", actions.review], ["unusable", "U", "flag this volume unusable", actions.flagUnusable], ["note", "i", "note on this volume", () => void actions.noteVolume()],
    ["axes", "o", "set the worm's axes: middle, nose, belly, by clicks or arrows and Enter", askAxes],
    ["outline", "O", "outline of the head: draw it, or corners by arrows and Enter; again to close it", askOutline],
    ["show-axes", "w", "show or hide the worm's axes", () => { state.axes = !state.axes; changed(); }], ["machine-axes", "W", "leave the axes to the machine", actions.forgetHead],
  ]),
  ...work("identities", [
    ["accept", "Enter", "assign what was typed, or accept and go on", () => void enter()], ["erase", "Backspace", "erase a typed digit, or the last point set", () => { if (isSetting()) takeBackPoint(); else { state.typed = state.typed.slice(0, -1); changed(); } }],
    ["unknown", "u", "none of the known identities", () => void actions.assign(-1)], ["swap", "x", "swap with the next clicked or typed", () => waitFor("swapping")],
    ["scope", "p", "scope: this volume, from here on, range", () => void toggleScope()],
    ["reference", "r", "copy identities from the reference", () => { if (state.reference) actions.copyFrom(state.reference.volume); else toast("there is no reference"); }],
    ["neighbour", "e", "copy identities from the volume before", copyBefore],
    ["ghost", "a", "accept the missing neuron", () => { const ghost = nearestGhost(); if (ghost) actions.acceptGhost(ghost); else toast("nothing is missing here"); }],
    ["name", "N", "name this identity", () => void actions.nameIdentity()], ["review-identity", "I", "mark this identity reviewed", actions.reviewIdentity],
    ["merge-identities", "M", "this number is the same neuron as another", () => void actions.mergeIdentity()], ["split-identity", "S", "from here on this number is another neuron", () => void actions.splitIdentity()],
  ]),
  ...work("neurons and boxes", [
    ["new", "n", "new neuron here (or Shift and drag)", putNew],
    ["delete", "Delete", "delete the neuron", actions.removeNeuron], ["delete-box", "d", "delete its box in this frame", actions.removeRegion],
    ["merge", "m", "merge with the next clicked or typed", () => waitFor("merging")], ["split", "s", "split at this frame", actions.splitNeuron],
    ...ARROWS.map(([way, dx, dy]) => /** @type {[string, string, string, () => void]} */ ([`move-${way}`, `Alt+Arrow${way}`, `move the box ${way.toLowerCase()}`, () => { if (isSetting()) moveCross(dx, dy, true); else nudge(dx, dy, "move"); }])),
    ...ARROWS.map(([way, dx, dy]) => /** @type {[string, string, string, () => void]} */ ([`size-${way}`, `Alt+Shift+Arrow${way}`, `box ${{ Left: "narrower", Right: "wider", Up: "lower", Down: "higher" }[way]}`, () => nudge(dx, dy, "resize")])),
  ]),
  ...list("look", [
    ["channel", "g", "red, green or both", cycleChannel], ["contrast", "c", "contrast", stepContrast], ["close", "z", "close to the neuron, or the whole frame", closeUp],
    ["zoom-in", "+", "zoom in (Ctrl and wheel too)", () => { state.zoom = Math.min(20, state.zoom * 1.3); changed(); }], ["zoom-out", "-", "zoom out", () => { state.zoom = Math.max(0.5, state.zoom / 1.3); changed(); }],
    ["hide", "h", "hide or show boxes", () => { state.hidden = !state.hidden; changed(); }],
    ["labels", "l", "all numbers: hold, or tap to keep them", holdLabels, releaseLabels], ["flat", "P", "all frames at once", flatten],
    ["beside", "v", "reference side by side, large", besides], ["fix", "f", "keep this reference, or let it follow", fixReference],
    ["theme", "t", "light or dark", turnTheme],
  ]),
  ...list("work", [
    ["undo", "Ctrl+Z", "undo", actions.undo], ["redo", "Ctrl+Shift+Z", "redo", actions.redo], ["train", "T", "train and identify again", () => void train()],
    ["export", "E", "export points.csv", () => element("export").click()], ["escape", "Escape", "let go of everything, whole frame", escape], ["keys", "?", "these keys", showKeys],
  ]),
];

let held = 0;
function holdLabels() { if (!held) { held = Date.now(); state.labels = !state.labels; changed(); } }
/** Letting go after holding takes the numbers away again; after a tap they stay. */
function releaseLabels() { if (held && Date.now() - held > 350) { state.labels = false; changed(); } held = 0; }
