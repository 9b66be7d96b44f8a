// @ts-check
/** Talking to the server: what is asked, what is sent in order exactly once, and what is heard. */
import { changed, sayTime, state } from "./state.js";

/** @param {string} path @returns {Promise<any>} */
export async function ask(path) {
  const answer = await fetch(path).catch(() => { throw new Error("the server is away"); });
  if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? `${path}: ${answer.status}`);
  return answer.json();
}

/** Answers that are about the edit itself; whatever else goes wrong (a token, a limit, a defect) is no reason to drop it. */
const REFUSED = [400, 404, 409, 413, 422];
/** What is unsent is kept under the run, by its recording too: another folder of that name is served at the same address one day. */
const shelf = () => `cender-outbox ${state.run.name} ${state.run.recording} `;
/** @type {{path:string, body:any, words:string}[]} */
let outbox = [];
let sending = false;
let made = 0;
let kept = true;
/** @type {(item:any, answer:any) => Promise<boolean>} */ let onConflict = async () => false;
/** @type {(words:string) => void} */ let onRefused = () => {};
/** @type {(item:any, answer:any) => void} */ let onSaved = () => {};

/** @param {{conflict:(item:any, answer:any) => Promise<boolean>, refused:(words:string) => void, saved:(item:any, answer:any) => void}} hooks conflict: whether mine is made all the same */
export function openOutbox(hooks) {
  onConflict = hooks.conflict; onRefused = hooks.refused; onSaved = hooks.saved;
  // A page that is still open may send the same: a ticket is made once.
  const left = Object.keys(localStorage).filter((name) => name.startsWith(shelf()));
  outbox = left.flatMap((name) => { try { return JSON.parse(localStorage.getItem(name) ?? "[]"); } catch { return []; } });
  keep();
  if (kept) for (const name of left) localStorage.removeItem(name);
  addEventListener("beforeunload", (event) => { if (outbox.length && !kept) event.preventDefault(); });
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
  const place = shelf() + state.session;
  // A browser without room keeps it in memory, and asks before the page is left.
  try { if (outbox.length) localStorage.setItem(place, JSON.stringify(outbox)); else localStorage.removeItem(place); kept = true; } catch { kept = false; }
  document.body.dataset.waiting = String(outbox.length);
  if (outbox.length) document.body.dataset.fresh = "no";
}

async function drain() {
  if (sending) return;
  sending = true;
  while (outbox.length) {
    const item = outbox[0];
    const answer = await fetch(item.path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(item.body) }).catch(() => null);
    const told = await answer?.json().catch(() => ({}));
    if (!answer || !(answer.ok || REFUSED.includes(answer.status))) {
      const why = answer && answer.status < 500 ? `not let in (${told.detail ?? answer.status})` : "server away";
      say(`${why}: ${outbox.length} edit${outbox.length > 1 ? "s" : ""} kept here, sent when it is back`, true);
      await new Promise((resume) => setTimeout(resume, 700));
      continue;
    }
    // An edit stays here until its conflict is settled; those after it wait, so that every one is asked about.
    const isConflict = answer.status === 409 && told.conflict;
    if (isConflict && await onConflict(item, told)) { item.body = { ...item.body, base_revision: null }; keep(); continue; }
    outbox.shift();
    keep();
    if (answer.ok) say(`saved ${sayTime(Date.now())}`, false);
    else if (!isConflict) onRefused(describeRefusal(told.detail, answer.status));
    onSaved(item, told);
  }
  sending = false;
}

/** Why something was refused, in words: a sentence of the server, or what is wrong with a field. @param {any} detail @param {number} status */
function describeRefusal(detail, status) {
  if (typeof detail === "string") return detail;
  const [first] = Array.isArray(detail) ? detail : [];
  return first ? `not saved: ${first.where[first.where.length - 1]}: ${first.what}` : `not saved (${status})`;
}

let busy = 0;
/** Ask the server before something is sent; tests and people see that it is going on. Null where it does not answer: the page says so.
 * @template T @param {() => Promise<T>} act @returns {Promise<T|null>} */
export async function whileBusy(act) {
  document.body.dataset.busy = String(++busy);
  try { return await act(); } catch (error) { onRefused(`${/** @type {Error} */ (error).message}: nothing was changed`); return null; } finally { document.body.dataset.busy = String(--busy); }
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
