// @ts-check
/** Words that come and go, and questions with one line to answer. */

/** @param {string} id */
const element = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
let fade = 0;

/** @param {string} words */
export function toast(words) {
  const one = element("toast");
  one.textContent = words; one.hidden = false;
  clearTimeout(fade);
  fade = window.setTimeout(() => { one.hidden = true; }, 5000);
}

/** Ask for a line of text; null where the question is left.
 * @param {string} words @param {string} value @returns {Promise<string|null>} */
export function askText(words, value) {
  const dialog = /** @type {HTMLDialogElement} */ (element("ask-dialog")), input = /** @type {HTMLInputElement} */ (element("ask-answer"));
  element("ask-words").textContent = words;
  input.value = value;
  dialog.returnValue = "";
  dialog.showModal();
  input.select();
  element("ask-cancel").onclick = () => dialog.close("");
  return new Promise((answer) => { dialog.onclose = () => answer(dialog.returnValue === "ok" ? input.value : null); });
}

/** Ask for a whole number that is not negative. @param {string} words @param {string} value @returns {Promise<number|null>} */
export async function askNumber(words, value) {
  const said = await askText(words, value);
  if (said === null) return null;
  const number = Number(said.replace("#", "").trim() || NaN);
  if (Number.isInteger(number) && number >= 0) return number;
  toast(`expected a number, found “${said}”`);
  return null;
}

/** Show both sides of a conflict. @param {string} theirs @param {string} mine @param {boolean} isFree whether mine can be made all the same
 * @returns {Promise<boolean>} whether mine is made */
export function askConflict(theirs, mine, isFree) {
  const dialog = /** @type {HTMLDialogElement} */ (element("conflict-dialog"));
  element("conflict-theirs").textContent = theirs;
  element("conflict-mine").textContent = mine;
  element("make-mine").hidden = !isFree;
  dialog.showModal();
  return new Promise((answer) => {
    element("keep-theirs").onclick = () => { dialog.close(); answer(false); };
    element("make-mine").onclick = () => { dialog.close(); answer(true); };
    dialog.oncancel = () => answer(false);
  });
}
