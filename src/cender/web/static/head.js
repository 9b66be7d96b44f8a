// @ts-check
/** Axes and outline of the head: points set with the mouse, or with a cross that keys move. */
import { setAxes, setOutline } from "./actions.js";
import { toast } from "./dialogs.js";
import { changed, state } from "./state.js";
import { layout, pencil } from "./view.js";

const ASKED = ["the middle of the head", "towards the nose", "towards the belly"];
const round = (/** @type {number} */ value) => Math.round(10 * value) / 10;

/** Whether points of the head are being set. */
export const isSetting = () => state.heading !== null || state.outlining;

/** Where the cross begins: the middle of the picture. */
function begin() {
  const { stack } = layout();
  state.cross = [stack.x + stack.w / 2, stack.y + stack.h / 2].map(Math.round);
}

export function leaveHead() { state.heading = null; state.outlining = false; state.cross = null; pencil.path = null; }

export function askAxes() {
  const asked = state.heading === null;
  leaveHead();
  if (asked) { state.heading = []; begin(); }
  changed();
}

/** Begin an outline; asked again, it is closed where it has three corners. */
export function askOutline() {
  if (state.outlining) {
    const path = pencil.path ?? [];
    leaveHead();
    if (path.length >= 3) { setOutline(path.map((point) => point.map(round))); state.axes = true; } else toast("an outline has three corners or more: begin again with O");
  } else if (state.volume?.head) { leaveHead(); state.outlining = true; begin(); }
  else toast("set the axes first (o)");
  changed();
}

/** @param {number} dx @param {number} dy @param {boolean} fine by one pixel, else by a fortieth of the picture */
export function moveCross(dx, dy, fine) {
  if (!state.cross) return;
  const { stack } = layout(), far = fine ? 1 : Math.max(2, Math.round(stack.h / 40));
  const within = (/** @type {number} */ value, /** @type {number} */ low, /** @type {number} */ size) => Math.min(low + size - 1, Math.max(low, value));
  state.cross = [within(state.cross[0] + far * dx, stack.x, stack.w), within(state.cross[1] + far * dy, stack.y, stack.h)];
  changed();
}

/** Set the next point, where the cross is or where the mouse was pressed. @param {number[]|null} at x, y in full-frame pixels */
export function setPoint(at = state.cross) {
  if (!at) return;
  const point = [round(at[1]), round(at[0])];
  if (state.outlining) pencil.path = [...(pencil.path ?? []), point];
  else if (state.heading) {
    state.heading.push(point);
    if (state.heading.length === ASKED.length) { const clicks = state.heading; leaveHead(); setAxes(clicks); state.axes = true; }
  }
  changed();
}

export function takeBackPoint() {
  state.heading?.pop();
  pencil.path = pencil.path && pencil.path.length > 1 ? pencil.path.slice(0, -1) : null;
  changed();
}

/** What is to be done next, in words. */
export function describeSetting() {
  if (state.outlining) return `draw around the head, or set corners: arrows move the cross, Enter sets one (${pencil.path?.length ?? 0} so far), O closes it`;
  return `${ASKED[state.heading?.length ?? 0]}: click, or move the cross with the arrows (Alt: finely) and press Enter`;
}
