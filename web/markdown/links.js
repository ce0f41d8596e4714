// Where a link may lead, and how destinations, titles and labels are written.

import { plain } from "/markdown/entities.js";

const ALLOWED = ["http:", "https:", "mailto:"];
const LONGEST = 2000; // characters of an address; a longer one is no link
const DEEPEST = 32; // parentheses in an address

// Bounded, so that a text of nothing but beginnings costs no more than its length.
const ANGLED = /<((?:[^<>\n\\]|\\.){0,2000})>/y;
const TITLE = new RegExp('"(?:[^"\\\\]|\\\\[^]){0,1000}"|' + "'(?:[^'\\\\]|\\\\[^]){0,1000}'|" +
  "\\((?:[^()\\\\]|\\\\[^]){0,1000}\\)", "y");
const SPACE = /[ \t]*(?:\n[ \t]*)?/y;
const LABEL = /\[((?:[^\\[\]]|\\[^]){0,999})\]/y;
const LINE_END = /[ \t]*(?:\n|$)/y;

const URL_BODY = "[!#-;=?-Z_a-z~]";
const BARE = new RegExp(`https?:\\/\\/(?:\\[[0-9a-fA-F:.]{2,45}\\])?${URL_BODY}{1,2000}`, "y");
const AUTOLINK = /<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\u0000-\u0020]{0,2000})>/y;
const MAIL = new RegExp("<([A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}" +
  "[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?){0,20})>", "y");

/** What a sticky pattern finds at a place of `text`, or null. */
export function match(pattern, text, at) {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

/** A label as it is compared: case and spaces do not count. */
export const folded = (label) => label.trim().replace(/\s+/g, " ").toLowerCase().toUpperCase();

/** The label in brackets at `at`: [what is in it, where it ends], or null. */
export function label(text, at) {
  const found = match(LABEL, text, at);
  return found && [found[1], at + found[0].length];
}

/** A destination at `at`: [address, where it ends], or null. */
export function destination(text, at) {
  if (text[at] === "<") {
    const found = match(ANGLED, text, at);
    return found && [plain(found[1]), at + found[0].length];
  }
  let open = 0;
  let end = at;
  for (; end < text.length && end - at < LONGEST && open <= DEEPEST; end++) {
    const code = text.charCodeAt(end);
    if (code <= 32 || code === 127) break;
    if (code === 92 && /[!-/:-@[-`{-~]/.test(text[end + 1] ?? "")) end++;
    else if (code === 40) open++;
    else if (code === 41 && --open < 0) break;
  }
  if (open > 0 || open < -1 || (end === at && text[end] !== ")")) return null;
  return [plain(text.slice(at, end)), end];
}

/** What follows the text of a link in parentheses: [address, where it ends], or null. */
export function inline(text, at) {
  const found = destination(text, at + 1 + match(SPACE, text, at + 1)[0].length);
  if (!found) return null;
  let [address, end] = found;
  const space = match(SPACE, text, end)[0].length;
  const title = space ? match(TITLE, text, end + space) : null;
  end += space + (title ? title[0].length : 0);
  end += match(SPACE, text, end)[0].length;
  return text[end] === ")" ? [address, end + 1] : null;
}

/** A definition at the start of `text`: [label, address, where it ends], or null. */
export function definition(text, at) {
  const name = label(text, at);
  if (!name || text[name[1]] !== ":" || !name[0].trim()) return null;
  const from = name[1] + 1 + match(SPACE, text, name[1] + 1)[0].length;
  const found = from < text.length ? destination(text, from) : null;
  if (!found || (found[1] === from && text[from] !== "<")) return null;
  const space = match(SPACE, text, found[1])[0].length;
  const title = space ? match(TITLE, text, found[1] + space) : null;
  if (title) {
    const after = found[1] + space + title[0].length;
    const end = match(LINE_END, text, after);
    if (end) return [name[0], found[0], after + end[0].length];
  }
  const end = match(LINE_END, text, found[1]);
  return end && [name[0], found[0], found[1] + end[0].length];
}

/** An address in angle brackets: [shown, address, where it ends], or null. */
export function autolink(text, at) {
  const web = match(AUTOLINK, text, at);
  if (web) return [web[1], web[1], at + web[0].length];
  const mail = match(MAIL, text, at);
  return mail && [mail[1], `mailto:${mail[1]}`, at + mail[0].length];
}

/** An address that stands in the text as it is: [address, where it ends], or null. It is ASCII: in
    Chinese nothing but its characters tells where it ends. */
export function bare(text, at) {
  if (at > 0 && !/[\s*_~([{<>"'|,;=\u0080-\uffff]/.test(text[at - 1])) return null;
  const found = match(BARE, text, at);
  if (!found) return null;
  let address = found[0];
  let open = 0;
  for (const char of address) open += char === "(" ? 1 : char === ")" ? -1 : 0;
  for (;;) {
    const last = address.at(-1);
    if (last === ")" && open < 0) open++;
    else if (!"?!.,:;*_~'".includes(last)) break;
    address = address.slice(0, -1);
  }
  return target(address)?.href ? [address, at + address.length] : null;
}

/** Where an address leads: {href, host} for a page or a mail, {} for a place that has no meaning
    here (a relative one), null for what is no link: another scheme, or too long. */
export function target(address) {
  if (address.length > LONGEST) return null;
  let url;
  try {
    url = new URL(address);
  } catch {
    return /^[\s\u0000-\u001f]*[A-Za-z][A-Za-z0-9+.-]*:/.test(address) ? null : {};
  }
  if (!ALLOWED.includes(url.protocol)) return null;
  const mail = url.protocol === "mailto:";
  return { href: url.href, host: mail ? url.pathname : url.host,
    plain: !url.username && !url.password };
}
