// Requests to the server: the token of this start, and errors with words.

const TOKEN = "clinkai.token";
const BROWSER = "clinkai.browser";

/** Take a token out of the address (and out of the address bar); true where there was one. */
export function arrive() {
  const match = /^#t=([A-Za-z0-9_-]+)/.exec(location.hash);
  if (!match) return false;
  localStorage.setItem(TOKEN, match[1]);
  history.replaceState(null, "", location.pathname);
  return true;
}

export const token = () => localStorage.getItem(TOKEN) ?? "";
export const keep = (text) => localStorage.setItem(TOKEN, text);

/** Call `changed` when another tab has got a new token. */
export function onToken(changed) {
  addEventListener("storage", (event) => {
    if (event.key === TOKEN && event.newValue && event.newValue !== event.oldValue) changed();
  });
}

/** A random name; crypto.randomUUID is not there on plain http. */
export function random() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// A tab gets a new name with each load: a duplicated tab would share a stored one.
const tab = random();

/** Who watches: this browser and this tab. */
export function client() {
  if (!localStorage.getItem(BROWSER)) localStorage.setItem(BROWSER, random());
  return `${localStorage.getItem(BROWSER)}.${tab}`;
}

/** The server refused; `status` 0: it could not be reached. */
export class Refusal extends Error {
  constructor(status, key, text) {
    super(text);
    this.status = status;
    this.key = key;
  }
}

/** Headers of every request; the token goes nowhere but here. */
export const headers = (more) => ({ Authorization: `Bearer ${token()}`, ...more });

export const get = (path) => call(path, { headers: headers() });

export const post = (path, body) => call(path, {
  method: "POST",
  headers: headers({ "Content-Type": "application/json" }),
  body: JSON.stringify(body),
});

async function call(path, options) {
  let answer;
  let body;
  try {
    answer = await fetch(path, { cache: "no-store", ...options });
    body = await answer.json();
  } catch (error) {
    throw new Refusal(0, "web.unreachable", String(error));
  }
  if (!answer.ok) {
    const { key = "", text = "", hint = "" } = body.error ?? {};
    throw new Refusal(answer.status, key, [text, hint].filter(Boolean).join("\n"));
  }
  return body;
}
