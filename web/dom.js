// Building nodes. Text reaches the page through text nodes only; there is no other way in here.

export const $ = (id) => document.getElementById(id);

/** True where fingers are all there is: Enter then breaks the line, and focus brings a keyboard. */
export const touch = () => matchMedia("(hover: none) and (pointer: coarse)").matches;

/** A new element. `props` are attributes; `class` and `text` (shown as it is) among them. */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "text") node.textContent = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== false && value !== null) node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// Controls but tab and newline, direction marks, zero-width characters, line separators, tags, lone
// surrogates. Not the joiners U+200C and U+200D: scripts and emoji need them.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f" +
  "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{1d173}-\\u{1d17a}" +
  "\\u{e0000}-\\u{e0fff}\\p{Surrogate}]", "gu");

/** `text` with every character that would act or hide shown by its number, as in the terminal. */
export function visible(text) {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, (found) =>
    `<U+${found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

/** The number of characters as the server counts them: code points, not UTF-16 units. */
export function count(text) {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) pairs++;
  }
  return text.length - pairs;
}

/** What is new in a piece of text that starts at `off`, when `have` characters are there already;
    null where something is missing in between. */
export function fresh(have, off, text) {
  if (off > have) return null;
  return off === have ? text : Array.from(text).slice(have - off).join("");
}

/** A button that opens and closes what stands in `body`; `toggled` is called with the new state. */
export function fold(button, body, toggled) {
  button.type = "button";
  button.setAttribute("aria-expanded", "false");
  button.addEventListener("click", () => {
    const open = button.getAttribute("aria-expanded") !== "true";
    button.setAttribute("aria-expanded", String(open));
    body.hidden = !open;
    toggled(open);
  });
}
