// The clipboard, also where the page is not served safely enough for the new way.

import { el } from "/dom.js";
import { say } from "/strings.js";

const SHOWN = 2000; // ms that a button says how it went

/** Put `text` into the clipboard, byte for byte; false where the browser does not allow it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return oldWay(text);
  }
}

/** A button that copies what `text()` gives, and says whether that worked. */
export function copyButton(text) {
  const button = el("button", { class: "quiet", type: "button" });
  let timer = 0;
  const name = (key) => {
    button.dataset.say = key;
    button.textContent = say(key);
  };
  button.addEventListener("click", async () => {
    name((await copy(text())) ? "web.copied" : "web.copy.failed");
    clearTimeout(timer);
    timer = setTimeout(() => name("web.copy"), SHOWN);
  });
  name("web.copy");
  return button;
}

function oldWay(text) {
  const before = document.activeElement;
  const field = el("textarea", { class: "unseen", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  // The field itself would change the ends of lines.
  const exact = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
  };
  document.addEventListener("copy", exact, { once: true });
  const done = document.execCommand("copy");
  document.removeEventListener("copy", exact);
  field.remove();
  before?.focus({ preventScroll: true });
  return done;
}
