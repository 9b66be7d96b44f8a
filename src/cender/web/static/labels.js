// @ts-check
/** Labels that never pile up: each finds a free place near its neuron, with a leader line where that is not beside it. */

/** @typedef {{text:string, x:number, y:number, w:number, h:number, colour:string, strong:boolean, rank:number}} Wanted
 *   what is labelled (its box on the screen) and how much it matters: the lowest rank is placed first */

const HIGH = 17, RINGS = [9, 22, 38, 58, 82, 110];
const TURNS = [-45, 0, 45, -90, 90, -135, 135, 180].map((degrees) => (degrees * Math.PI) / 180);

/** @typedef {{x:number, y:number, w:number, h:number}} Rect */
/** @param {Rect} a @param {Rect} b */
const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

/** Draw labels within a canvas of this size; those that find no place are left out, the least important first.
 * @param {CanvasRenderingContext2D} context @param {Wanted[]} wanted @param {Rect[]} boxes @param {number} width @param {number} height */
export function drawLabels(context, wanted, boxes, width, height) {
  /** @type {Rect[]} */ const taken = [];
  for (const one of [...wanted].sort((a, b) => a.rank - b.rank)) {
    context.font = font(one.strong);
    const place = findPlace(one, context.measureText(one.text).width + 8, taken, boxes, width, height);
    if (!place) continue;
    taken.push(place);
    draw(context, one, place);
  }
}

/** @param {boolean} strong */
const font = (strong) => `${strong ? "600 14px" : "12px"} system-ui, "Liberation Sans", sans-serif`;

/** @param {Wanted} one @param {number} w @param {Rect[]} taken @param {Rect[]} boxes @param {number} width @param {number} height @returns {Rect|null} */
function findPlace(one, w, taken, boxes, width, height) {
  const cx = one.x + one.w / 2, cy = one.y + one.h / 2;
  for (const clear of [true, false]) for (const ring of RINGS) for (const turn of TURNS) {
    const dx = Math.cos(turn), dy = Math.sin(turn);
    const rect = { x: cx + dx * (one.w / 2 + ring + w / 2) - w / 2, y: cy + dy * (one.h / 2 + ring) - HIGH / 2, w, h: HIGH };
    const inside = rect.x >= 2 && rect.y >= 2 && rect.x + w <= width - 2 && rect.y + HIGH <= height - 2;
    if (inside && !taken.some((each) => overlap(rect, each)) && !(clear && boxes.some((each) => overlap(rect, each)))) return rect;
  }
  return null;
}

/** @param {CanvasRenderingContext2D} context @param {Wanted} one @param {Rect} rect */
function draw(context, one, rect) {
  const cx = one.x + one.w / 2, cy = one.y + one.h / 2;
  const near = [Math.min(Math.max(cx, rect.x), rect.x + rect.w), Math.min(Math.max(cy, rect.y), rect.y + rect.h)];
  const from = [Math.min(Math.max(near[0], one.x), one.x + one.w), Math.min(Math.max(near[1], one.y), one.y + one.h)];
  context.strokeStyle = one.colour; context.lineWidth = 1; context.globalAlpha = 0.8;
  context.beginPath(); context.moveTo(from[0], from[1]); context.lineTo(near[0], near[1]); context.stroke();
  context.globalAlpha = 1;
  context.fillStyle = "#000c"; context.beginPath(); context.roundRect(rect.x, rect.y, rect.w, rect.h, 3); context.fill();
  context.font = font(one.strong);
  context.fillStyle = one.strong ? "#fff" : one.colour; context.fillText(one.text, rect.x + 4, rect.y + 13);
}
