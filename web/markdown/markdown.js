// The text of the model as blocks, while it comes in: in pieces the same as at once.

import { Blocks } from "/markdown/blocks.js";
import { whole } from "/markdown/leaf.js";

const LONGEST = 8192; // characters of a line that are looked at as one; the rest is text after it
// Not shown before more of the line is there: it may be a fence, a rule, an underline, a marker.
const UNDECIDED = /^[\s>#*+\-_=`~|:.)$\\[\]\d]*$/;

/** Shows Markdown in `home`. `feed` adds text, `end` says that nothing follows. */
export class Markdown {
  #blocks;
  #rest = "";
  #within = false; // a long line, part of which is shown already

  constructor(home) {
    this.#blocks = new Blocks(home);
  }

  feed(text) {
    this.#blocks.undo();
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop();
    for (const line of lines) this.#line(line);
    this.#rest = this.#long(this.#rest);
    const more = this.#rest.replace(/\r$/, "");
    if (this.#within ? more : !UNDECIDED.test(more)) this.#take(more, false);
    this.#blocks.show();
  }

  end() {
    this.#blocks.undo();
    if (this.#rest || this.#within) this.#line(this.#rest);
    this.#rest = "";
    this.#blocks.end();
  }

  #line(line) {
    const last = this.#long(line);
    this.#take(this.#within ? last.replace(/\r$/, "") : last, true);
    this.#within = false;
  }

  /** Take what is too long for one line; returns what is left of it. */
  #long(line) {
    while (line.length > LONGEST) {
      const end = whole(line, LONGEST);
      this.#take(line.slice(0, end), true);
      this.#within = true;
      line = line.slice(end);
    }
    return line;
  }

  #take(text, firm) {
    if (!this.#within || !this.#blocks.more(text, firm)) this.#blocks.line(text, firm);
  }
}
