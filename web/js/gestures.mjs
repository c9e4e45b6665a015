// What the reader does with pointer and keys over the picture. Must start
// before guard.mjs, which then keeps the same events from Ebiten.
//
// Plain wheel, a finger that moves up or down and keys with modifiers stay the
// browser's, and letters only come here while the picture has the focus, which
// a click gives it. A finger that moves sideways moves the picture, two zoom it.

const zoomStep = 1.25;
const panStep = 60; // CSS pixels
const dragFrom = 4; // CSS pixels; less is a click

// In an embed, which leaves zooming to the page around it until it is clicked.
const guest = parent !== top;

export const markKey = "m";

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

// Where pointers are together: their middle, and how far apart the first two are.
function grip(pointers) {
  const [a, b = a] = pointers.values();
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
}

// handlers: hover(x, y), leave(), click(x, y), navigate(move), mark(x, y),
// key(name) for a key that is none of these.
export function readGestures(target, handlers) {
  let at = { x: innerWidth / 2, y: innerHeight / 2 }; // of the pointer
  const down = new Map(); // pointer id -> where it is
  let held; // the grip of those that are down
  let dragged = false;

  target.addEventListener("pointerdown", (event) => {
    if (down.size === 0) dragged = false;
    if (event.button !== 0 || down.size === 2) return;
    down.set(event.pointerId, { x: event.clientX, y: event.clientY });
    held = grip(down);
    if (event.pointerType !== "touch") event.target.setPointerCapture(event.pointerId);
  });
  target.addEventListener("pointermove", ({ clientX: x, clientY: y, pointerId, pointerType }) => {
    if (down.has(pointerId)) {
      down.set(pointerId, { x, y });
      const now = grip(down);
      const moved = Math.max(Math.hypot(now.x - held.x, now.y - held.y), Math.abs(now.apart - held.apart));
      if (dragged || moved >= dragFrom) {
        const zoom = held.apart > 0 && now.apart > 0 ? now.apart / held.apart : 1;
        handlers.navigate({ x: now.x, y: now.y, zoom, dx: now.x - held.x, dy: now.y - held.y, fit: false });
        held = now;
        dragged = true;
      }
    }
    at = { x, y };
    if (pointerType !== "touch") handlers.hover(x, y);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    target.addEventListener(end, ({ pointerId }) => {
      down.delete(pointerId);
      if (down.size > 0) held = grip(down);
    });
  }
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
    else if (key.toLowerCase() === markKey) handlers.mark(at.x, at.y);
    else handlers.key(key);
  }, { capture: true });
}
