// @ts-check
/** Talking to the server: what is asked, what is sent in order exactly once, and what is heard. */
import { changed, sayTime, state } from "./state.js";

/** @param {string} path @returns {Promise<any>} */
export async function ask(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? `${path}: ${answer.status}`);
  return answer.json();
}

const place = () => `cender-outbox-${state.run?.name ?? ""}`;
/** @type {{path:string, body:any, words:string}[]} */
let outbox = [];
let sending = false;
let made = 0;
/** @type {(item:any, answer:any) => void} */ let onConflict = () => {};
/** @type {(words:string) => void} */ let onRefused = () => {};
/** @type {() => void} */ let onSaved = () => {};

/** @param {{conflict:(item:any, answer:any) => void, refused:(words:string) => void, saved:() => void}} hooks */
export function openOutbox(hooks) {
  onConflict = hooks.conflict; onRefused = hooks.refused; onSaved = hooks.saved;
  try { outbox = JSON.parse(localStorage.getItem(place()) ?? "[]"); } catch { outbox = []; }
  keep();
  void drain();
}

export function countWaiting() { return outbox.length; }

/** How much was done here since the page was opened, sent or not. */
export function countMade() { return made; }

/** Keep something to send; it is sent after everything before it, once.
 * @param {string} path @param {any} body @param {string} words */
export function send(path, body, words) {
  made += 1;
  outbox.push({ path, body: { author: state.author, ticket: crypto.randomUUID(), ...body }, words });
  keep();
  void drain();
}

function keep() {
  localStorage.setItem(place(), JSON.stringify(outbox));
  document.body.dataset.waiting = String(outbox.length);
  if (outbox.length) document.body.dataset.fresh = "no";
}

async function drain() {
  if (sending) return;
  sending = true;
  while (outbox.length) {
    const item = outbox[0];
    let answer;
    try {
      answer = await fetch(item.path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(item.body) });
      if (answer.status >= 500) throw new Error("the server stumbled");
    } catch {
      say(`server away: ${outbox.length} edit${outbox.length > 1 ? "s" : ""} kept here, sent when it is back`, true);
      await new Promise((resume) => setTimeout(resume, 700));
      continue;
    }
    const told = await answer.json().catch(() => ({}));
    outbox.shift();
    keep();
    if (answer.ok) say(`saved ${sayTime(Date.now())} · ${state.author}`, false);
    else if (answer.status === 409 && told.conflict) onConflict(item, told);
    else onRefused(String(typeof told.detail === "string" ? told.detail : `refused (${answer.status})`));
    onSaved();
  }
  sending = false;
}

let busy = 0;
/** Do something that asks the server before it sends; tests and people see that it is going on.
 * @template T @param {() => Promise<T>} act @returns {Promise<T>} */
export async function whileBusy(act) {
  document.body.dataset.busy = String(++busy);
  try { return await act(); } finally { document.body.dataset.busy = String(--busy); }
}

/** @param {string} words @param {boolean} away */
export function say(words, away) {
  const line = /** @type {HTMLElement} */ (document.getElementById("saved"));
  line.textContent = words;
  line.classList.toggle("away", away);
}

/** @param {(event:any) => void} hear */
export function listen(hear) {
  const stream = new EventSource("/api/events");
  let broken = false;
  stream.onopen = () => { if (broken) hear({ kind: "reload" }); broken = false; changed(); };
  stream.onmessage = (message) => hear(JSON.parse(message.data));
  stream.onerror = () => { if (!broken) say("server away: looking for it", true); broken = true; };
}
