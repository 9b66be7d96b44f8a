// @ts-check
/** What a reload keeps, in the address: where one is, what is selected, how it is shown, what edits apply to, and the place in the queue. */
import { onChange, rowOf, state } from "./state.js";

/** Browsers no longer listen to a page that changes its address too often. */
const PAUSE_MS = 150;
/** Earlier places that a reload keeps. */
const MOST_PLACES = 50;
/** What is shown or not. */
const SWITCHES = /** @type {const} */ (["flat", "beside", "hidden", "axes", "labels"]);
const PLAIN = { contrast: "1,0,1,0", turn: "0.6,0.35" };
let planned = 0;

function write() {
  planned = 0;
  const { v, z, key, identity, channel, zoom, panX, panY, gain, black, scope } = state;
  const unless = (/** @type {string} */ plain, /** @type {number[]} */ ...values) => { const text = values.map((one) => Number(one.toFixed(2))).join(","); return text === plain ? "" : text; };
  const parts = {
    v, z, k: key, i: !key && identity >= 0 ? identity : "", c: channel, q: state.opened,
    p: unless("1,0,0", zoom, Math.round(panX), Math.round(panY)), g: unless(PLAIN.contrast, gain.red, black.red, gain.green, black.green),
    t: unless(PLAIN.turn, state.spin, state.tilt), s: SWITCHES.filter((one) => state[one]).join(","),
    w: scope === "volume" ? "" : scope === "range" ? state.rangeEnd : scope, f: state.fixed ?? "",
  };
  history.replaceState({ trail: state.trail.slice(-MOST_PLACES) }, "", "#" + Object.entries(parts).filter(([, value]) => value !== "").map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("%2C", ",")}`).join("&"));
}

/** From now on the address follows what is shown, and an address that is typed or pasted is gone to. @param {() => void} go */
export function followView(go) {
  onChange(() => { planned ||= window.setTimeout(write, PAUSE_MS); });
  addEventListener("hashchange", go);
}

/** Show what the address says; returns the volume (null: it says none) and the key of what is selected. */
export function readAddress() {
  const found = new URLSearchParams(location.hash.slice(1));
  const number = (/** @type {string|null|undefined} */ text) => (text && Number.isFinite(Number(text)) ? Number(text) : null);
  const numbers = (/** @type {string} */ name, /** @type {string} */ plain) => { const all = (found.get(name) ?? plain).split(",").map(number); return all.includes(null) ? plain.split(",").map(Number) : /** @type {number[]} */ (all); };
  const [zoom, panX, panY] = numbers("p", "1,0,0"), scope = found.get("w"), fixed = number(found.get("f")), shown = (found.get("s") ?? "").split(",");
  state.channel = ["red", "green"].find((one) => one === found.get("c")) ?? "both";
  state.z = number(found.get("z")) ?? Math.floor((state.run.frames || 2) / 2);
  state.identity = number(found.get("i")) ?? -1;
  state.zoom = Math.min(20, Math.max(0.5, zoom)); state.panX = panX; state.panY = panY;
  [state.gain.red, state.black.red, state.gain.green, state.black.green] = numbers("g", PLAIN.contrast);
  [state.spin, state.tilt] = numbers("t", PLAIN.turn);
  for (const one of SWITCHES) state[one] = shown.includes(one);
  state.scope = scope === "onward" ? scope : number(scope) === null ? "volume" : "range"; state.rangeEnd = number(scope) ?? 0;
  state.fixed = fixed !== null && rowOf(fixed) >= 0 ? fixed : null;
  state.opened = found.get("q") ?? "";
  state.trail = history.state?.trail ?? state.trail;
  document.body.classList.toggle("beside", state.beside);
  return { v: number(found.get("v")), key: found.get("k") ?? "" };
}
