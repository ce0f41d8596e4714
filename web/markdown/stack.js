// The blocks that are open, each in the one before it, and the nodes that show them. Nodes are made
// as blocks open; those of a closed block are not touched again. The exception: links whose labels
// are defined further down are made at the end.
//
// A line that is not whole yet is tentative: `undo` takes back what it did, and the same nodes
// serve what the longer line opens.

import { WHOLE } from "/markdown/leaf.js";
import { definition, folded } from "/markdown/links.js";

const HOLDS = ["document", "quote", "item"];

/** A block has: kind; view {key, node, settle?}; end, the last line that is in it; filled:
    something is in it; and what its kind needs. */
export class Stack {
  firm = true;
  #blocks;
  #number = 0;
  #saved = null;
  #made = []; // views of a tentative line, in order
  #spare = []; // the same, taken back
  #defined = new Map();
  #late = []; // {leaf, lead} with labels that were not defined

  constructor(home) {
    this.#blocks = [{ kind: "document", view: { node: home }, end: 0, filled: false }];
  }

  get depth() {
    return this.#blocks.length;
  }

  get top() {
    return this.#blocks.at(-1);
  }

  at(depth) {
    return this.#blocks[depth];
  }

  /** A line begins, or goes on. If it is not `firm`, the next call must be `undo`. */
  begin(firm) {
    this.firm = firm;
    if (firm) return;
    this.#saved = { blocks: this.#blocks.map((block) => ({ ...block })), number: this.#number };
  }

  count() {
    this.#number++;
  }

  /** Show the text that is open. */
  show() {
    const { kind, view, text, lead } = this.top;
    if (kind !== "paragraph") return;
    const before = this.firm ? null : this.#saved.blocks.at(-1);
    const firm = this.firm ? text.length : before.view === view ? before.text.length : 0;
    view.show(text, this.#defined, { firm, lead });
  }

  /** Nothing that was taken back is needed any more. */
  drop() {
    for (const view of this.#spare) view.node.remove();
    this.#spare = [];
  }

  undo() {
    if (!this.#saved) return;
    this.#blocks = this.#saved.blocks;
    this.#number = this.#saved.number;
    this.#saved = null;
    this.#spare = this.#made;
    this.#made = [];
    this.top.view.settle?.();
  }

  /** Nothing follows: close all, and show links whose labels were defined after them. */
  end() {
    this.firm = true;
    this.drop();
    this.close(1);
    for (const { leaf, lead } of this.#late) {
      const known = [...leaf.wanted].some((label) => this.#defined.has(label));
      if (known) leaf.again(this.#defined, lead);
    }
    this.#late = [];
  }

  /** Open a block in the last one that may hold it; `view` is used if none that was taken back is
      the same. */
  open(kind, view, more = {}) {
    while (!(kind === "item" ? this.top.kind === "list" : HOLDS.includes(this.top.kind))) {
      this.close(this.depth - 1);
    }
    const parent = this.top;
    if (parent.filled && this.#number - parent.end > 1) {
      // An empty line between two of its blocks makes a list loose.
      const list = { list: parent, item: this.#blocks.at(-2) }[parent.kind];
      list?.view.node.classList.remove("tight");
    }
    parent.filled = true;
    this.#blocks.push({ kind, view: this.#placed(parent, view), end: this.#number, filled: false,
      held: "", ...more });
  }

  /** Close all blocks but the first `depth`. */
  close(depth) {
    while (this.depth > depth) this.#finish(this.#blocks.pop());
  }

  /** Take the last block off, as it is. */
  pop() {
    return this.#blocks.pop();
  }

  /** The first `depth` blocks reach as far as this line. */
  reach(depth = this.depth) {
    for (const block of this.#blocks.slice(0, depth)) block.end = this.#number;
  }

  /** How many blocks there are up to the last quote. */
  quoted() {
    return this.#blocks.findLastIndex((block) => block.kind === "quote") + 1;
  }

  /** Show the text of a block that is over. */
  render(leaf, text, lead = null) {
    leaf.show(text, this.#defined, { firm: this.firm ? text.length : 0, lead });
    if (this.firm && leaf.wanted.size) this.#late.push({ leaf, lead });
  }

  /** Add a row to the table on top. */
  row(text, head = false) {
    const leaves = this.top.view.row(text, this.#defined, { firm: this.firm, head });
    if (!this.firm) return;
    for (const leaf of leaves) {
      if (leaf.wanted.size) this.#late.push({ leaf, lead: null });
    }
  }

  /** Take definitions of links off the beginning of a paragraph. */
  define(block) {
    if (!this.firm || block.text[0] !== "[" || block.text.length > WHOLE) return;
    let at = 0;
    for (let found; block.text[at] === "[" && (found = definition(block.text, at)); at = found[2]) {
      const label = folded(found[0]);
      if (!this.#defined.has(label)) this.#defined.set(label, found[1]);
    }
    block.text = block.text.slice(at);
  }

  #placed(parent, view) {
    const spare = this.#spare[0];
    if (spare && spare.key === view.key && spare.node.parentNode === parent.view.node) {
      view = this.#spare.shift();
      if (view.node.matches("ul, ol")) view.node.classList.add("tight");
      view.settle?.();
    } else {
      this.drop();
      parent.view.node.append(view.node);
    }
    if (!this.firm) this.#made.push(view);
    return view;
  }

  #finish(block) {
    block.view.settle?.();
    if (block.kind !== "paragraph") return;
    this.define(block);
    if (block.text.trim() || block.lead) this.render(block.view, block.text, block.lead);
    else block.view.node.remove();
  }
}

