// Ebiten in a page: it calls preventDefault on keys, wheel, mouse, touch,
// contextmenu and drops on its canvas, takes the first place in the tab order,
// and reloads the document when the WebGL context is lost.
//
// The painter therefore has a document of its own (painter.html), and here
// Ebiten gets to see no input at all: listeners in the capture phase stop
// every such event before it reaches the canvas. The browser's own handling
// (scrolling, zooming, shortcuts, leaving by Tab) goes on, and the page's
// input is read from pointer events, which Ebiten does not use.

const inputs = [
  "keydown", "keyup", "mousedown", "mouseup", "mousemove", "wheel",
  "touchstart", "touchend", "touchmove", "contextmenu", "dragover", "drop",
];

export function keepInputFromCanvas(target) {
  for (const type of inputs) {
    target.addEventListener(type, (event) => event.stopImmediatePropagation(), { capture: true, passive: true });
  }
}

// Ebiten asks for a context that smooths edges a second time, after render/mesh,
// and has buffers that it does not use: without a graphics card that takes most
// of a frame.
export function plainContext() {
  const { getContext } = HTMLCanvasElement.prototype;
  HTMLCanvasElement.prototype.getContext = function (type, options) {
    return getContext.call(this, type, { ...options, antialias: false, depth: false, stencil: false });
  };
}

// Ebiten asks for every animation frame, and brings a picture to the screen four
// more times after it has changed. Here it gets a frame after askFrame() has been
// called or the window has another size, and none while the canvas, which watch
// is told of, is out of sight; request is the browser's own function.
export function framesOnDemand() {
  const request = requestAnimationFrame.bind(globalThis);
  let draw; // Ebiten's callback that waits for a frame
  let asked = true;
  let seen = true;
  const go = () => {
    if (!draw || !asked || !seen) return;
    request(draw);
    draw = undefined;
    asked = false;
  };
  globalThis.requestAnimationFrame = (callback) => {
    draw = callback;
    go();
  };
  globalThis.askFrame = () => {
    asked = true;
    go();
  };
  addEventListener("resize", askFrame);
  return {
    request,
    watch: (canvas) => new IntersectionObserver((entries) => {
      seen = entries.at(-1).isIntersecting;
      go();
    }).observe(canvas),
  };
}

// Calls onLost instead of letting Ebiten reload the document.
export function onContextLost(target, onLost) {
  target.addEventListener("webglcontextlost", (event) => {
    event.stopImmediatePropagation();
    onLost();
  }, { capture: true });
}

// Ebiten reads devicePixelRatio once; calls onChange when it is another one.
export function onPixelRatioChange(onChange) {
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener("change", onChange, { once: true });
}

// Undoes what Ebiten does to the document when it starts: the black
// background, a second viewport declaration, the canvas in the tab order.
export function tidyDocument(label) {
  const canvas = document.querySelector("canvas");
  canvas.removeAttribute("tabindex");
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", label);
  document.body.style.backgroundColor = "";
  for (const meta of document.querySelectorAll("meta[name=viewport]")) meta.remove();
}
