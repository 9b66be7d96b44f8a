// @ts-check
/** What the page knows and shows; everything that a reload must keep lives in the address. */

/** @typedef {{key:string, identity:number, probability:number, human:boolean, edited:boolean, machine:number,
 *   anchor_um:number[]|null, centre_um:number[], boxes:number[][]}} Neuron */
/** @typedef {{volume:number, revision:number, generation:number, time_s:number|null, status:string, reason:string,
 *   reviewed:boolean, unusable:string|null, note:string, head:Head|null, neurons:Neuron[]}} Volume */
/** @typedef {{origin_yx:number[], anterior_yx:number[], ventral_yx:number[], outline_yx:number[][], human:boolean}} Head */

export const state = {
  /** @type {any} */ run: null,
  /** @type {Volume|null} */ volume: null,
  v: 0, z: 0, key: "", identity: -1,
  channel: "both", gain: { red: 1, green: 1 }, black: { red: 0, green: 0 },
  /** @type {Record<string, number[]>} */ windows: {},
  zoom: 1, panX: 0, panY: 0,
  labels: false, hidden: false, swapping: "", merging: "", axes: false, beside: false, flat: false,
  /** @type {number[][]|null} */ heading: null, outlining: false,
  /** @type {number[]|null} */ cross: null,
  scope: "volume", rangeEnd: 0, typed: "", hover: "",
  /** @type {{identity:number, centre_um:number[]}[]} */ ghosts: [],
  /** @type {Volume|null} */ reference: null,
  /** A reference that stays. @type {number|null} */ fixed: null, playing: false, spin: 0.6, tilt: 0.35,
  /** @type {any} */ queue: { volumes: [], neurons: [], annotated: 0, accuracy: null, forecast: null },
  /** @type {any} */ log: { entries: [], undo: [], redo: [] },
  /** @type {Map<string, {author:string, volume:number, at:number}>} */ others: new Map(),
  /** @type {Set<number>} */ reviewed: new Set(), /** @type {Set<number>} */ annotated: new Set(),
  /** @type {{v:number, z:number, key:string, identity:number}[]} */ trail: [], opened: "", author: "me", session: crypto.randomUUID(),
  /** @type {any} */ trace: null,
};

/** @type {Set<() => void>} */
const listeners = new Set();
let planned = false;

/** @param {() => void} draw */
export function onChange(draw) { listeners.add(draw); }

/** Draw everything once, at the next frame of the screen. */
export function changed() {
  if (planned) return;
  planned = true;
  const go = () => { if (!planned) return; planned = false; for (const draw of listeners) draw(); };
  requestAnimationFrame(go);
  setTimeout(go, 60); // a hidden tab has no frames
}

export function selected() { return state.volume?.neurons.find((one) => one.key === state.key) ?? null; }

/** @type {WeakMap<number[], Map<number, number>>} */ const rows = new WeakMap();
/** Place of a volume among those of the run, -1 where it is none of them. @param {number} v */
export function rowOf(v) {
  const all = /** @type {number[]} */ (state.run.volumes.volume);
  let map = rows.get(all);
  if (!map) { map = new Map(all.map((one, row) => [one, row])); rows.set(all, map); }
  return map.get(v) ?? -1;
}

/** @param {number} identity */
export function nameOf(identity) {
  const one = state.run?.identities.find((/** @type {any} */ i) => i.identity === identity);
  return one?.name ?? "";
}

/** @param {Neuron} one */
export function labelOf(one) {
  if (one.identity < 0) return "–";
  const name = nameOf(one.identity);
  return name ? `#${one.identity} ${name}` : `#${one.identity}`;
}

/** Identities that stand twice in this volume. */
export function findTwice() {
  const seen = new Map();
  for (const one of state.volume?.neurons ?? []) if (one.identity >= 0) seen.set(one.identity, (seen.get(one.identity) ?? 0) + 1);
  return new Set([...seen].filter(([, count]) => count > 1).map(([identity]) => identity));
}

/** @param {Neuron} one */
export function isDoubtful(one) { return !one.human && (one.identity < 0 || one.probability < state.run.unsure_below); }

/** Time of day, as 14:02:11, with the date where it was another day, as 3 Nov 2025, 14:02:11. @param {string|number} time */
export function sayTime(time) {
  const one = new Date(time), clock = one.toLocaleTimeString("en-GB");
  return one.toDateString() === new Date().toDateString() ? clock : `${one.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${clock}`;
}

/** Others whose page has told within this time where they are: it tells so every 30 s. */
const PRESENT_MS = 75_000;
export const listOthers = () => [...state.others.values()].filter((one) => Date.now() - one.at < PRESENT_MS);

/** @param {number[]} um @returns {number[]} */
export function toPixels(um) { return um.map((value, axis) => value / state.run.voxel_um[axis]); }
/** @param {number[]} px @returns {number[]} */
export function toMicrometres(px) { return px.map((value, axis) => value * state.run.voxel_um[axis]); }

/** @param {number} identity */
export function colourOf(identity) {
  return identity < 0 ? "#8a949d" : `hsl(${(identity * 137.508) % 360} 70% ${55 + (identity % 3) * 7}%)`;
}
