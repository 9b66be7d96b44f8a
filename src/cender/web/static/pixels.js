// @ts-check
/** Pictures of volumes: fetched, fetched ahead, kept in bounded memory, and turned into colours. */
import { changed, state } from "./state.js";

/** @typedef {{v:number, channels:number, depth:number, h:number, w:number, x:number, y:number, data:Uint8Array, raw:Uint16Array|null, serial:number}} Stack */

/** @type {Map<number, Stack>} */ const kept = new Map();
/** @type {Map<number, Promise<Stack>>} */ const coming = new Map();
const LARGEST = 160e6;
let serial = 0;

/** Why pictures did not come, by volume. @type {Map<number, string>} */ const missing = new Map();
/** @param {number} v */
export const whyMissing = (v) => missing.get(v) ?? "";

/** @param {number} v @returns {Promise<Stack>} */
export function fetchStack(v) {
  const there = kept.get(v);
  if (there) { kept.delete(v); kept.set(v, there); return Promise.resolve(there); }
  let promise = coming.get(v);
  if (!promise) {
    promise = load(v).catch((error) => { missing.set(v, String(error.message ?? error)); changed(); throw error; }).finally(() => coming.delete(v));
    coming.set(v, promise);
  }
  return promise;
}

/** @param {number} v */
async function load(v) {
  const answer = await fetch(`/api/volumes/${v}/frames/8?of=${state.run.pictures}`).catch(() => { throw new Error("the server is away"); });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "no picture");
  const [channels, depth, h, w] = (answer.headers.get("X-Cender-Shape") ?? "").split(",").map(Number);
  const [x, y] = (answer.headers.get("X-Cender-Crop") ?? "").split(",").map(Number);
  /** @type {Stack} */ const stack = { v, channels, depth, h, w, x, y, data: new Uint8Array(await answer.arrayBuffer()), raw: null, serial: ++serial };
  kept.set(v, stack);
  missing.delete(v);
  bound();
  changed();
  return stack;
}

function bound() {
  const weigh = (/** @type {Stack} */ one) => one.data.byteLength + (one.raw?.byteLength ?? 0);
  let size = 0;
  for (const one of kept.values()) size += weigh(one);
  for (const [key, one] of kept) { if (size <= LARGEST || kept.size < 3) break; size -= weigh(one); kept.delete(key); }
}

/** Whether somebody works on contrast: then frames are shown from what the camera recorded, not from 8 bits of it. */
const isContrast = () => ["red", "green"].some((name) => { const key = /** @type {"red"|"green"} */ (name); return state.gain[key] !== 1 || state.black[key] !== 0; });

/** Brightness as it was recorded, for contrast work. @param {number} v */
export async function fetchRaw(v) {
  const stack = kept.get(v);
  if (!stack || stack.raw || asking.has(v) || !isContrast()) return;
  asking.add(v);
  try {
    const answer = await fetch(`/api/volumes/${v}/frames/16?of=${state.run.pictures}`);
    if (answer.ok) { stack.raw = new Uint16Array(await answer.arrayBuffer()); bound(); changed(); }
  } catch { /* the 8 bits are shown until the server is back */ } finally { asking.delete(v); }
}
/** @type {Set<number>} */ const asking = new Set();

/** @param {number} v */
export function stackOf(v) { return kept.get(v) ?? null; }

export function forgetStacks() { kept.clear(); }

/** Pictures that were painted lately, under everything that they depend on. @type {Map<string, OffscreenCanvas>} */
const painted = new Map();
const MOST_PAINTED = 90;

/** @param {Stack} stack @param {string} what @param {() => OffscreenCanvas} make */
function recall(stack, what, make) {
  const raw = isContrast() && stack.raw !== null;
  const key = [stack.serial, what, state.channel, raw, state.gain.red, state.gain.green, state.black.red, state.black.green].join(" ");
  const picture = painted.get(key) ?? make();
  painted.delete(key); painted.set(key, picture);
  for (const oldest of painted.keys()) { if (painted.size <= MOST_PAINTED) break; painted.delete(oldest); }
  return picture;
}

/** One frame as a picture.
 * @param {Stack} stack @param {number} z */
export function drawFrame(stack, z) {
  return recall(stack, `frame ${z}`, () => {
    const size = stack.h * stack.w, raw = isContrast() && stack.raw !== null, data = raw ? /** @type {Uint16Array} */ (stack.raw) : stack.data;
    return paint(stack, (channel) => data.subarray((channel * stack.depth + z) * size, (channel * stack.depth + z + 1) * size), (name) => slope(name, raw), stack.w, stack.h);
  });
}

/** Largest brightness along an axis: 0 z, 1 y, 2 x. What is usual is black: the largest of many is bright everywhere.
 * @param {Stack} stack @param {number} axis */
export function drawProjection(stack, axis) {
  return recall(stack, `projection ${axis}`, () => {
    const { depth, h, w } = stack, width = axis === 2 ? depth : w, height = axis === 1 ? depth : h;
    const flats = Array.from({ length: stack.channels }, (_, channel) => flatten(stack, channel, axis, width, height));
    const names = /** @type {("red"|"green")[]} */ (["red", "green"]);
    return paint(stack, (channel) => flats[channel], (name) => {
      const sorted = Uint8Array.from(flats[Math.min(names.indexOf(name), flats.length - 1)]).sort();
      const low = sorted[sorted.length >> 1], high = Math.max(low + 40, sorted[Math.floor(0.9985 * (sorted.length - 1))]);
      return { black: low + state.black[name] * (high - low), gain: (255 * state.gain[name]) / (high - low) };
    }, width, height);
  });
}

/** @param {Stack} stack @param {number} channel @param {number} axis @param {number} width @param {number} height */
function flatten(stack, channel, axis, width, height) {
  const { depth, h, w, data } = stack, flat = new Uint8Array(width * height);
  let at = channel * depth * h * w;
  for (let z = 0; z < depth; z++) for (let y = 0; y < h; y++) for (let x = 0; x < w; x++, at++) {
    const to = axis === 0 ? y * w + x : axis === 1 ? z * w + x : y * depth + z;
    if (data[at] > flat[to]) flat[to] = data[at];
  }
  return flat;
}

/** Black level and slope of a channel, for 8 bits within the window of the recording or for what the camera recorded.
 * @param {"red"|"green"} name @param {boolean} raw */
function slope(name, raw) {
  const [low, high] = state.windows[name] ?? [0, 65535], span = raw ? high - low : 255, from = raw ? low : 0;
  const black = from + state.black[name] * span;
  return { black, gain: (255 * state.gain[name]) / span };
}

/** @param {Stack} stack @param {(channel:number) => Uint8Array|Uint16Array} take @param {(name:"red"|"green") => {black:number, gain:number}} curve
 * @param {number} w @param {number} h */
function paint(stack, take, curve, w, h) {
  const canvas = new OffscreenCanvas(w, h);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(w, h);
  const out = image.data;
  const red = state.channel !== "green" || stack.channels < 2 ? take(0) : null;
  const green = state.channel !== "red" && stack.channels > 1 ? take(1) : null;
  const both = red && green;
  const r = curve("red"), g = stack.channels > 1 ? curve("green") : r;
  for (let i = 0, to = 0; i < w * h; i++, to += 4) {
    const a = red ? (red[i] - r.black) * r.gain : 0, b = green ? (green[i] - g.black) * g.gain : 0;
    // Magenta and green are told apart by everybody, red and green are not; a single channel is grey.
    out[to] = both ? a : a + b; out[to + 1] = both ? b : a + b; out[to + 2] = both ? a : a + b; out[to + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/** Frames around z in which a box is as bright as here, at least by half.
 * @param {Stack} stack @param {number} z @param {number[]} box x y w h in full-frame pixels */
export function followThroughZ(stack, z, box) {
  const [x, y, w, h] = [Math.round(box[0] - stack.x), Math.round(box[1] - stack.y), Math.max(1, Math.round(box[2])), Math.max(1, Math.round(box[3]))];
  const mean = (/** @type {number} */ frame) => {
    let sum = 0, count = 0;
    for (let j = Math.max(0, y); j < Math.min(stack.h, y + h); j++) for (let i = Math.max(0, x); i < Math.min(stack.w, x + w); i++) { sum += stack.data[(frame * stack.h + j) * stack.w + i]; count++; }
    return count ? sum / count : 0;
  };
  const least = mean(z) / 2;
  let first = z, last = z;
  while (first > 0 && first > z - 3 && mean(first - 1) > least && least > 2) first--;
  while (last < stack.depth - 1 && last < z + 3 && mean(last + 1) > least && least > 2) last++;
  return [first, last];
}
