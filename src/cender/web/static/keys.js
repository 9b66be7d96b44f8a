// @ts-check
/** Keys: what they do, in words, and how a person gives them other ones. */

/** @typedef {{group:string, name:string, key:string, words:string, act:() => void, release?:() => void, once?:boolean}} Binding */
/** @type {Binding[]} */ let bindings = [];
const PLACE = "cender-keys";
/** @type {Binding|null} */ let asked = null;

/** @param {KeyboardEvent} event */
export function describeKey(event) {
  const plain = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  const parts = [event.ctrlKey || event.metaKey ? "Ctrl" : "", event.altKey ? "Alt" : "", event.shiftKey && !plain ? "Shift" : ""];
  const key = event.key === " " ? "Space" : plain ? event.key : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  return [...parts.filter(Boolean), key].join("+");
}

/** @param {Binding[]} wanted @param {(digit:string) => void} onDigit */
export function openKeys(wanted, onDigit) {
  let own = {};
  try { own = JSON.parse(localStorage.getItem(PLACE) ?? "{}"); } catch { own = {}; }
  bindings = wanted.map((one) => ({ ...one, key: /** @type {any} */ (own)[one.name] ?? one.key }));
  addEventListener("keydown", (event) => {
    const target = /** @type {HTMLElement} */ (event.target);
    const key = describeKey(event);
    if (asked) { if (!["Shift", "Control", "Alt", "Meta"].includes(event.key)) { event.preventDefault(); give(asked, key); } return; }
    // Enter answers a question; leaving the line first would keep it from being heard.
    if (document.querySelector("dialog[open]")) return;
    if (target.tagName === "INPUT" && target.getAttribute("type") !== "range") { if (event.key === "Escape" || event.key === "Enter") target.blur(); return; }
    if (isOwn(target, key)) return;
    if (/^[0-9]$/.test(key)) { event.preventDefault(); onDigit(event.key); return; }
    const found = bindings.find((one) => one.key === key);
    if (found) { event.preventDefault(); if (!(event.repeat && found.once)) found.act(); }
  });
  addEventListener("keyup", (event) => bindings.find((one) => one.key === describeKey(event))?.release?.());
  const reset = /** @type {HTMLElement} */ (document.getElementById("reset-keys"));
  reset.addEventListener("click", () => { localStorage.removeItem(PLACE); bindings.forEach((one, row) => { one.key = wanted[row].key; }); drawKeys(); });
}

/** Whether a key belongs to the control that it is pressed on: what is reached with Tab works as it does everywhere.
 * @param {HTMLElement} target @param {string} key */
function isOwn(target, key) {
  if (["BUTTON", "SUMMARY", "A"].includes(target.tagName)) return key === "Enter" || key === "Space";
  if (target.getAttribute("type") === "range") return /^(Arrow|Home|End|Page)/.test(key);
  return target.getAttribute("role") === "listbox" && /^Arrow(Up|Down)$/.test(key);
}

/** @param {Binding} one @param {string} key */
function give(one, key) {
  asked = null;
  const note = /** @type {HTMLElement} */ (document.getElementById("keys-note"));
  if (/^[0-9]$/.test(key)) note.textContent = "Digits are for the numbers of identities: give another key.";
  else if (key !== "Escape") {
    const other = bindings.find((each) => each.key === key && each !== one);
    if (other) other.key = one.key;
    one.key = key;
    note.textContent = other ? `“${other.words}” had that key and is on ${showKey(other.key)} now.` : `“${one.words}” is on ${showKey(key)} now.`;
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(bindings.map((each) => [each.name, each.key]))));
  }
  drawKeys();
}

export function drawKeys() {
  const list = /** @type {HTMLElement} */ (document.getElementById("keys-list"));
  const digits = document.createElement("div");
  digits.append("type the number of an identity", kbd("0 – 9"));
  list.replaceChildren(...[...new Set(bindings.map((one) => one.group))].map((group) => {
    const part = document.createElement("section"), title = document.createElement("h3");
    title.textContent = group;
    part.append(title, ...(group === "identities" ? [digits] : []), ...bindings.filter((one) => one.group === group).map(drawRow));
    return part;
  }));
}

/** @param {string} key */
const showKey = (key) => key.replace("Arrow", "").replace("Left", "←").replace("Right", "→").replace("Up", "↑").replace("Down", "↓");

/** @param {Binding} one */
function drawRow(one) {
  const row = document.createElement("div"), button = document.createElement("button");
  button.className = "key"; button.textContent = showKey(one.key);
  button.addEventListener("click", () => { asked = one; button.textContent = "press a key"; });
  row.append(one.words, button);
  return row;
}

/** @param {string} text */
function kbd(text) { const one = document.createElement("kbd"); one.textContent = text; return one; }
