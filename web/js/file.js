// A classic script, as modules do not load from file:// addresses: says what to
// do instead of leaving the page empty.
"use strict";

if (location.protocol === "file:") {
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("summary").textContent =
      "A browser does not run this page from a file. Serve its folder instead: “python3 -m http.server” or “wakelab serve --dir .” in it, then open the address that is printed.";
  });
}
