// A hint for a reader's first visit.

const key = "wakelab-hint";

// Shows the hint unless its button has been pressed on an earlier visit.
export function showHint(hint, button) {
  let seen = false;
  try {
    seen = localStorage.getItem(key) !== null;
  } catch {
    // Without storage it is shown each time.
  }
  hint.hidden = seen;
  button.addEventListener("click", () => {
    hint.hidden = true;
    try {
      localStorage.setItem(key, "seen");
    } catch {
      // As above.
    }
  });
}
