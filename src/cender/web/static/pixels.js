// @ts-check
/** Pictures of volumes: fetched, fetched ahead, kept in bounded memory, and turned into colours. */
import { changed, state } from "./state.js";

/** @typedef {{v:number, channels:number, depth:number, h:number, w:number, x:number, y:number, data:Uint8Array}} Stack */

/** @type {Map<number, Stack>} */ const kept = new Map();
/** @type {Map<number, Promise<Stack>>} */ const coming = new Map();
const LARGEST = 160e6;

/** @param {number} v @returns {Promise<Stack>} */
export function fetchStack(v) {
  const there = kept.get(v);
  if (there) { kept.delete(v); kept.set(v, there); return Promise.resolve(there); }
  let promise = coming.get(v);
  if (!promise) {
    promise = load(v).finally(() => coming.delete(v));
    coming.set(v, promise);
  }
  return promise;
}

/** @param {number} v */
async function load(v) {
  const answer = await fetch(`/api/volumes/${v}/frames/8`);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? "no picture");
  const [channels, depth, h, w] = (answer.headers.get("X-Cender-Shape") ?? "").split(",").map(Number);
  const [x, y] = (answer.headers.get("X-Cender-Crop") ?? "").split(",").map(Number);
  const stack = { v, channels, depth, h, w, x, y, data: new Uint8Array(await answer.arrayBuffer()) };
  kept.set(v, stack);
  let size = 0;
  for (const one of kept.values()) size += one.data.length;
  for (const [key, one] of kept) { if (size <= LARGEST || kept.size < 3) break; size -= one.data.length; kept.delete(key); }
  changed();
  return stack;
}

/** @param {number} v */
export function stackOf(v) { return kept.get(v) ?? null; }

export function forgetStacks() { kept.clear(); }

/** One frame as a picture.
 * @param {Stack} stack @param {number} z */
export function drawFrame(stack, z) {
  const size = stack.h * stack.w;
  return paint(stack, (channel) => stack.data.subarray((channel * stack.depth + z) * size, (channel * stack.depth + z + 1) * size), stack.w, stack.h);
}

/** Largest brightness along an axis: 0 z, 1 y, 2 x.
 * @param {Stack} stack @param {number} axis */
export function drawProjection(stack, axis) {
  const { depth, h, w } = stack;
  const width = axis === 2 ? depth : w, height = axis === 0 ? h : axis === 1 ? depth : h;
  return paint(stack, (channel) => {
    const flat = new Uint8Array(width * height);
    let at = channel * depth * h * w;
    for (let z = 0; z < depth; z++) for (let y = 0; y < h; y++) for (let x = 0; x < w; x++, at++) {
      const to = axis === 0 ? y * w + x : axis === 1 ? z * w + x : y * depth + z;
      if (stack.data[at] > flat[to]) flat[to] = stack.data[at];
    }
    return flat;
  }, width, height);
}

/** @param {Stack} stack @param {(channel:number) => Uint8Array} take @param {number} w @param {number} h */
function paint(stack, take, w, h) {
  const canvas = new OffscreenCanvas(w, h);
  const context = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(w, h);
  const out = image.data;
  const names = state.run.channels;
  const red = state.channel !== "green" || stack.channels < 2 ? take(0) : null;
  const green = state.channel !== "red" && stack.channels > 1 ? take(1) : null;
  const both = red && green;
  const r = state.gain.red, g = names.length > 1 ? state.gain.green : r;
  for (let i = 0, to = 0; i < w * h; i++, to += 4) {
    const a = red ? red[i] * r : 0, b = green ? green[i] * g : 0;
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
