// What the reader does with pointer and keys over the picture. Must start
// before guard.mjs, which then keeps the same events from Ebiten.
//
// Plain wheel, touch and keys with modifiers stay the browser's, and letters
// only come here while the picture has the focus, which a click gives it.

const zoomStep = 1.25;
const panStep = 60; // CSS pixels
const dragFrom = 4; // CSS pixels; less is a click

// In an embed, which leaves zooming to the page around it until it is clicked.
const guest = parent !== top;

const stay = { x: 0, y: 0, zoom: 1, dx: 0, dy: 0, fit: false };

// By KeyboardEvent.key, in lower case. A and D move the window as in Perfetto: to
// earlier and to later instants.
const moves = {
  w: { zoom: zoomStep }, s: { zoom: 1 / zoomStep }, a: { dx: panStep }, d: { dx: -panStep },
  "+": { zoom: zoomStep }, "=": { zoom: zoomStep }, "-": { zoom: 1 / zoomStep }, f: { fit: true },
};

// The move that a key or a button of that name stands for, around a point.
export const moveOf = (key, x, y) => {
  const move = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return move && { ...stay, ...move, x, y };
};

// handlers: hover(x, y), leave(), click(x, y), navigate(move), key(name) for a
// key that is no move.
export function readGestures(target, handlers) {
  let at = { x: innerWidth / 2, y: innerHeight / 2 }; // of the pointer
  let drag; // where the button went down
  let dragged = false;

  target.addEventListener("pointerdown", (event) => {
    dragged = false;
    if (event.button !== 0 || event.pointerType === "touch") return;
    drag = { x: event.clientX, y: event.clientY };
    event.target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", ({ clientX: x, clientY: y }) => {
    if (drag && (dragged || Math.hypot(x - drag.x, y - drag.y) >= dragFrom)) {
      handlers.navigate({ ...stay, dx: x - drag.x, dy: y - drag.y });
      drag = { x, y };
      dragged = true;
    }
    at = { x, y };
    handlers.hover(x, y);
  });
  for (const end of ["pointerup", "pointercancel"]) target.addEventListener(end, () => (drag = undefined));
  target.document.documentElement.addEventListener("pointerleave", () => handlers.leave());
  target.addEventListener("click", ({ clientX, clientY }) => dragged || handlers.click(clientX, clientY));
  target.addEventListener("wheel", (event) => {
    if (!event.ctrlKey || (guest && !document.hasFocus())) return;
    event.preventDefault(); // the page's own zoom
    handlers.navigate({ ...stay, zoom: Math.exp(-event.deltaY / 300), x: event.clientX, y: event.clientY });
  }, { capture: true, passive: false });
  target.addEventListener("keydown", ({ key, ctrlKey, altKey, metaKey }) => {
    if (ctrlKey || altKey || metaKey) return;
    const move = moveOf(key.toLowerCase(), at.x, at.y);
    if (move) handlers.navigate(move);
    else handlers.key(key);
  }, { capture: true });
}
