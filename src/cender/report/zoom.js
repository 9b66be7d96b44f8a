// Figures can be enlarged and moved, and what lies under the pointer is named. Without this script they are plain pictures.
"use strict";
for (const view of document.querySelectorAll(".view")) {
  const sheet = view.querySelector(".sheet"), tip = view.querySelector(".tip"), tools = view.parentElement.querySelector(".tools");
  let scale = 1, x = 0, y = 0, held = null;
  const draw = () => {
    const room = view.getBoundingClientRect();
    x = Math.min(0, Math.max(room.width * (1 - scale), x));
    y = Math.min(0, Math.max(room.height * (1 - scale), y));
    sheet.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    view.classList.toggle("zoomed", scale > 1);
  };
  const zoom = (factor, clientX, clientY) => {
    const room = view.getBoundingClientRect(), before = scale;
    scale = Math.min(12, Math.max(1, scale * factor));
    const px = clientX - room.left, py = clientY - room.top;
    x = px - (px - x) * scale / before;
    y = py - (py - y) * scale / before;
    draw();
  };
  const middle = factor => {
    const room = view.getBoundingClientRect();
    zoom(factor, room.left + room.width / 2, room.top + room.height / 2);
  };
  tools.hidden = false;
  tools.addEventListener("click", event => {
    const what = event.target.dataset.zoom;
    if (what === "in") middle(1.6);
    if (what === "out") middle(1 / 1.6);
    if (what === "all") middle(0);
  });
  view.addEventListener("wheel", event => {
    // The page itself scrolls with the plain wheel, until a figure has been enlarged.
    if (!event.ctrlKey && scale === 1) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY / 400), event.clientX, event.clientY);
  }, { passive: false });
  view.addEventListener("dblclick", event => zoom(2, event.clientX, event.clientY));
  view.addEventListener("pointerdown", event => {
    if (scale === 1) return;
    held = [event.clientX - x, event.clientY - y];
    view.setPointerCapture(event.pointerId);
  });
  view.addEventListener("pointerup", () => { held = null; });
  view.addEventListener("pointermove", event => {
    if (held) { x = event.clientX - held[0]; y = event.clientY - held[1]; draw(); }
    const words = event.target.dataset ? event.target.dataset.words : undefined;
    tip.hidden = !words || held !== null;
    if (tip.hidden) return;
    const room = view.getBoundingClientRect();
    tip.textContent = words;
    tip.style.left = `${Math.min(event.clientX - room.left + 14, room.width - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.max(event.clientY - room.top - 30, 2)}px`;
  });
  view.addEventListener("pointerleave", () => { tip.hidden = true; });
}
for (const spot of document.querySelectorAll(".spots rect")) {
  // The browser's own slow tooltip gives way to ours.
  const title = spot.querySelector("title");
  spot.dataset.words = title.textContent;
  title.remove();
}
