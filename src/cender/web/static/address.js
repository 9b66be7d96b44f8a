// @ts-check
/** What a reload keeps, in the address: where one is, what is selected, how it is shown, and the place in the queue. */
import { onChange, state } from "./state.js";

/** Browsers no longer listen to a page that changes its address too often. */
const PAUSE_MS = 150;
let planned = 0;

function write() {
  planned = 0;
  const { v, z, key, identity, channel, zoom, panX, panY } = state;
  const part = zoom !== 1 || panX || panY ? [zoom.toFixed(2), Math.round(panX), Math.round(panY)].join(",") : "";
  const shown = [state.flat ? "flat" : "", state.beside ? "beside" : ""].filter(Boolean).join(",");
  const parts = { v, z, k: key, i: !key && identity >= 0 ? identity : "", c: channel, p: part, s: shown, q: state.opened };
  history.replaceState(null, "", "#" + Object.entries(parts).filter(([, value]) => value !== "").map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&"));
}

/** From now on the address follows what is shown. */
export function followView() { onChange(() => { planned ||= window.setTimeout(write, PAUSE_MS); }); }

/** Show what the address says; returns the volume (null: it says none) and the key of what is selected. */
export function readAddress() {
  const found = new URLSearchParams(location.hash.slice(1));
  const number = (/** @type {string|null|undefined} */ text) => (text && Number.isFinite(Number(text)) ? Number(text) : null);
  const [zoom, panX, panY] = (found.get("p") ?? "").split(",").map(number), shown = (found.get("s") ?? "").split(",");
  state.channel = ["red", "green"].find((one) => one === found.get("c")) ?? "both";
  state.z = number(found.get("z")) ?? Math.floor((state.run.frames || 2) / 2);
  state.identity = number(found.get("i")) ?? -1;
  state.zoom = Math.min(20, Math.max(0.5, zoom ?? 1)); state.panX = panX ?? 0; state.panY = panY ?? 0;
  state.flat = shown.includes("flat"); state.beside = shown.includes("beside");
  state.opened = found.get("q") ?? "";
  document.body.classList.toggle("beside", state.beside);
  return { v: number(found.get("v")), key: found.get("k") ?? "" };
}
