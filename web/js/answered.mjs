// Whether the page has answered its reader. Workers on all processors would
// let a key wait for them, so they look here between their slices and rest
// while the reader types or scrolls.

const inputs = ["keydown", "pointerdown", "input", "wheel"];
const longestMs = 100; // that a picture of the page is waited for
const quietMs = 500; // after what the reader did, since more of it follows

let shown = Promise.resolve();
let lastMs = -Infinity; // when the reader did something

// Resolves when what is to be painted now is on the screen.
export const nextShown = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, longestMs); // a hidden page gets no frames
});

let watching = false;
function watch() {
  watching = true;
  for (const type of inputs) {
    addEventListener(type, () => {
      shown = nextShown();
      lastMs = performance.now();
    }, { capture: true, passive: true });
  }
}

// Resolves when what the reader did last is on the screen and some time ago.
export async function answered() {
  if (!watching) watch();
  await shown;
  for (;;) {
    const leftMs = lastMs + quietMs - performance.now();
    if (leftMs <= 0) return;
    await new Promise((resolve) => setTimeout(resolve, leftMs));
  }
}
