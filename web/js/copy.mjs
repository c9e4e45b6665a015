// Copying text, with a fallback where the clipboard is not to be had.

// Copies text, or shows it in a dialog to be copied by hand. Resolves to
// whether it is on the clipboard.
export async function copy(content, title) {
  try {
    await navigator.clipboard.writeText(content);
    return true;
  } catch {
    byHand(content, title);
    return false;
  }
}

function byHand(content, title) {
  const dialog = document.getElementById("copy");
  dialog.querySelector("h2").textContent = title;
  const field = dialog.querySelector("textarea");
  field.value = content;
  dialog.showModal();
  field.select();
}
