// Whether the page has answered its reader. Workers on all processors would
// let a key wait for them, so they look here between their slices.

const inputs = ["keydown", "pointerdown", "input", "wheel"];
const longestMs = 200; // that a picture of the page is waited for

let shown = Promise.resolve();

const nextShown = () => new Promise((resolve) => {
  requestAnimationFrame(() => requestAnimationFrame(resolve));
  setTimeout(resolve, longestMs); // a hidden page gets no frames
});

for (const type of inputs) {
  addEventListener(type, () => (shown = nextShown()), { capture: true, passive: true });
}

// Resolves when what the reader did last is on the screen.
export const answered = () => shown;
