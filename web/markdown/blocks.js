// The block structure, line by line: CommonMark 0.31 without HTML blocks, and with tables, task
// items and mathematics between lines of $$ or \[.

import { Cursor } from "/markdown/cursor.js";
import { Stack } from "/markdown/stack.js";
import { GOES_ON, begin, paragraph } from "/markdown/starts.js";

const LITERAL = ["fence", "indented", "formula"];

/** Takes lines and shows their blocks in `home`. */
export class Blocks {
  #stack;

  constructor(home) {
    this.#stack = new Stack(home);
  }

  /** One line. If it is not `firm`, the next call must be `undo`. */
  line(text, firm) {
    this.#stack.begin(firm);
    this.#stack.count();
    this.#read(new Cursor(text));
    this.#stack.drop();
  }

  /** More of the last line: true where there is a text for it. */
  more(text, firm) {
    this.#stack.begin(firm);
    const top = this.#stack.top;
    if (LITERAL.includes(top.kind)) top.view.more(text, firm);
    else if (top.kind === "paragraph") top.text += text;
    else return false;
    return true;
  }

  /** Show what the lines so far have brought: paragraphs are not shown anew for each. */
  show() {
    this.#stack.show();
  }

  undo() {
    this.#stack.undo();
  }

  /** Nothing follows. */
  end() {
    this.#stack.end();
  }

  #read(cursor) {
    const stack = this.#stack;
    let depth = 1;
    for (; depth < stack.depth; depth++) {
      const block = stack.at(depth);
      const goes = GOES_ON[block.kind](block, cursor);
      if (goes === "closed") {
        stack.reach();
        stack.close(depth);
        return;
      }
      if (!goes) break;
    }
    // A paragraph goes on in a line without the marks of the quotes and items it is in.
    let lazy = depth < stack.depth && stack.top.kind === "paragraph";
    while (!LITERAL.includes(stack.at(depth - 1).kind)) {
      const begun = begin(stack, cursor, depth);
      if (begun === "leaf") {
        stack.reach();
        return;
      }
      if (!begun) break;
      stack.reach();
      lazy = false;
      depth = stack.depth;
    }
    if (!lazy || cursor.blank) stack.close(depth);
    this.#text(cursor);
  }

  /** What no block begins with goes into the one on top. */
  #text(cursor) {
    const stack = this.#stack;
    const { top } = stack;
    if (LITERAL.includes(top.kind)) {
      literal(top, cursor, stack);
      return;
    }
    if (cursor.blank) {
      stack.reach(stack.quoted());
      return;
    }
    cursor.skip();
    if (top.kind === "paragraph") top.text += (top.text && "\n") + cursor.rest;
    else if (top.kind === "table") stack.row(cursor.rest);
    else paragraph(stack, cursor.rest);
    stack.reach();
  }
}

function literal(block, { rest, blank, carriage }, stack) {
  if (block.kind === "indented" && blank) {
    // Empty lines at its end are no part of it.
    block.held += `\n${rest}`;
    return;
  }
  for (const line of block.held.split("\n").slice(1)) block.view.add(line, stack.firm);
  block.held = "";
  block.view.add(rest + carriage, stack.firm);
  stack.reach();
}
