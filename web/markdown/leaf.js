// What a block of text shows: its inline markup, and a table of such blocks.

import { el } from "/dom.js";
import { parse } from "/markdown/inlines.js";
import { patch } from "/markdown/nodes.js";

const PIECE = 4096; // characters parsed as one; markup does not reach from one piece into the next
const LOOK_BACK = 512; // a piece ends at a space, if there is one that near

/** Longest text whose beginning or last line may still turn out to be something else. */
export const WHOLE = PIECE;

/** A paragraph, heading or cell. What is a piece away from its growing end is not parsed again. */
export class Leaf {
  node;
  key;
  wanted = new Set();
  #shown = null;
  #firm = 0;
  #start = 0;
  #kept = 0;
  #tree = [];

  constructor(tag, props = {}) {
    this.key = tag;
    this.node = el(tag, props);
  }

  /** Show `text`. Its first `firm` characters will not change; `lead` stands before it. */
  show(text, defined, { firm = text.length, lead = null } = {}) {
    if (text === this.#shown && firm <= this.#firm) return;
    this.#shown = text;
    this.#firm = firm;
    const wanted = firm === text.length ? this.wanted : new Set();
    let start = this.#start;
    let tree = lead && start === 0 ? [lead] : [];
    for (let end = cut(text, start); end < text.length; end = cut(text, start)) {
      const settles = start === this.#start && firm >= start + PIECE;
      tree = tree.concat(parse(text.slice(start, end), defined, settles ? this.wanted : wanted));
      start = end;
      if (!settles) continue;
      patch(this.node, this.#kept, this.#tree, tree);
      this.#start = end;
      this.#kept = this.node.childNodes.length;
      this.#tree = tree = [];
    }
    tree = tree.concat(parse(text.slice(start).trimEnd(), defined, wanted));
    patch(this.node, this.#kept, this.#tree, tree);
    this.#tree = tree;
  }

  /** Show the same text with what is defined by now. */
  again(defined, lead) {
    const text = this.#shown;
    this.#shown = null;
    this.#start = this.#kept = 0;
    this.#tree = [];
    this.node.replaceChildren();
    this.show(text, defined, { lead });
  }
}

/** Where the piece that begins at `start` ends. */
function cut(text, start) {
  if (text.length - start <= PIECE) return text.length;
  const end = start + PIECE;
  for (let at = end; at > end - LOOK_BACK; at--) {
    if (text[at - 1] === " " || text[at - 1] === "\n") return at;
  }
  return whole(text, end);
}

/** `at`, or the place before it where it would part the two halves of a character. */
export function whole(text, at) {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit < 0xe000 ? at - 1 : at;
}

const COLUMNS = 128; // a table with more is text

/** The alignments of the columns, if `line` is what stands below the head of a table; else null. */
export function columns(line, head) {
  if (!head.includes("|") || !/^[|:\-\s]+$/.test(line)) return null;
  const parts = cells(line);
  if (parts.length > COLUMNS || parts.length !== cells(head).length) return null;
  if (!parts.every((part) => /^:?-+:?$/.test(part))) return null;
  const side = (part) => (part.startsWith(":") ? "center" : "right");
  return parts.map((part) => (part.endsWith(":") ? side(part) : null));
}

/** The cells of a row; `\|` is no border. */
function cells(line) {
  const found = [];
  let text = "";
  const trimmed = line.trim();
  for (let at = trimmed.startsWith("|") ? 1 : 0; at < trimmed.length; at++) {
    const char = trimmed[at];
    if (char === "\\" && trimmed[at + 1] === "|") {
      text += "|";
      at++;
    } else if (char === "|") {
      found.push(text.trim());
      text = "";
    } else {
      text += char;
    }
  }
  if (text.trim() || !trimmed.endsWith("|")) found.push(text.trim());
  return found;
}

/** A table that grows by rows, in a scroller of its own. */
export class Table {
  node = el("div", { class: "table", tabindex: "0" });
  key = "table";
  #aligns;
  #table = el("table");
  #body = null;
  #tentative = null;

  constructor(aligns) {
    this.#aligns = aligns;
    this.node.append(this.#table);
  }

  /** Add a row; returns its cells. One that is not `firm` is taken back by the next. */
  row(line, defined, { firm, head }) {
    this.settle();
    const { row, leaves } = this.#row(head ? "th" : "td", line, defined, firm);
    if (head) {
      this.#table.append(el("thead", {}, row));
      return leaves;
    }
    this.#body ??= this.#table.appendChild(el("tbody"));
    this.#body.append(row);
    if (!firm) this.#tentative = row;
    return leaves;
  }

  /** Take back what was not firm. */
  settle() {
    this.#tentative?.remove();
    this.#tentative = null;
    if (this.#body && !this.#body.firstChild) {
      this.#body.remove();
      this.#body = null;
    }
  }

  #row(tag, line, defined, firm) {
    const parts = cells(line);
    const count = this.#aligns.length;
    // Nothing is lost: what is too much stays in the last cell.
    if (parts.length > count) parts.push(parts.splice(count - 1).join(" | "));
    const leaves = parts.map((part, at) => {
      const leaf = new Leaf(tag, { class: this.#aligns[at] });
      leaf.show(part, defined, { firm: firm ? part.length : 0 });
      return leaf;
    });
    const row = el("tr", {}, ...leaves.map((leaf) => leaf.node));
    const missing = count - parts.length;
    if (missing > 0) row.append(el(tag, { colspan: missing > 1 ? String(missing) : null }));
    return { row, leaves };
  }
}
