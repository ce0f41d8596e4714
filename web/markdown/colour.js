// Colours of code, line by line, from the table in languages.js. Where it cannot be sure, the rest
// of the block is plain: wrong colours are worse than none.

import { ALIASES, LANGUAGES } from "/markdown/languages.js";

const LONGEST = 2000; // characters of a line with colours
const MOST = 100000; // characters of a block with colours

const compiled = new Map();

/** What paints a block of that language; one that is not known stays plain. */
export function painter(name) {
  return new Painter(rules(ALIASES.get(name) ?? name));
}

function rules(name) {
  if (!Object.hasOwn(LANGUAGES, name)) return null;
  if (!compiled.has(name)) compiled.set(name, compile(LANGUAGES[name]));
  return compiled.get(name);
}

/** One pattern for all rules; the number of its group tells the rule. */
function compile({ rules, words = {}, fold = false }) {
  const parts = [...rules, ["word", "[A-Za-z_$][\\w$]*"]];
  const known = new Map();
  for (const [kind, list] of Object.entries(words)) {
    for (const word of list.split(" ")) known.set(word, kind);
  }
  return {
    pattern: new RegExp(parts.map(([, start]) => `(${start})`).join("|"), "g"),
    fold,
    known,
    parts: parts.map(([kind, , inner, end]) => ({
      kind,
      whole: end && new RegExp(`(?:${inner})*?${end}`, "y"),
      open: end && new RegExp(`(?:${inner})*$`, "y"),
    })),
  };
}

class Painter {
  #language;
  #within = null; // the rule of what began on an earlier line
  #size = 0;

  constructor(language) {
    this.#language = language;
  }

  /** The pieces of a line: [kind, text], "" for plain. One that is not firm leaves no trace. */
  line(text, firm) {
    const before = [this.#language, this.#within];
    this.#size += firm ? text.length : 0;
    if (text.length > LONGEST || this.#size > MOST) this.#language = null;
    const pieces = this.#language ? this.#paint(text) : [["", text]];
    if (!firm) [this.#language, this.#within] = before;
    return pieces;
  }

  #paint(text) {
    const { pattern, parts } = this.#language;
    const pieces = [];
    let at = this.#within ? this.#inner(text, 0, 0, this.#within, pieces) : 0;
    while (this.#language && at < text.length) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found || !found[0]) break;
      if (found.index > at) pieces.push(["", text.slice(at, found.index)]);
      at = found.index;
      const rule = parts[found.findIndex((group, number) => number > 0 && group !== undefined) - 1];
      const end = at + found[0].length;
      if (rule.kind === "!") this.#language = null;
      else if (rule.whole) at = this.#inner(text, at, end, rule, pieces);
      else {
        pieces.push([rule.kind === "word" ? this.#word(found[0]) : rule.kind, found[0]]);
        at = end;
      }
    }
    if (at < text.length) pieces.push(["", text.slice(at)]);
    return pieces;
  }

  /** What began at `from` and goes on at `at`, as far as it reaches on this line. */
  #inner(text, from, at, rule, pieces) {
    this.#within = null;
    for (const pattern of [rule.whole, rule.open]) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) continue;
      const end = at + found[0].length;
      if (end > from) pieces.push([rule.kind, text.slice(from, end)]);
      if (pattern === rule.open) this.#within = rule;
      return end;
    }
    this.#language = null;
    return from;
  }

  #word(word) {
    const { known, fold } = this.#language;
    return known.get(fold ? word.toLowerCase() : word) ?? "";
  }
}
