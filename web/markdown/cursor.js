// A place in a line. Columns count tabs as up to four spaces, as CommonMark does.

export class Cursor {
  offset = 0;
  column = 0;
  next = 0; // where the first character is that is no space
  indent = 0; // columns before it
  blank = false;
  #nextColumn = 0;
  #partial = false; // part of a tab is used up

  constructor(line) {
    // A carriage return at the end belongs to code only.
    this.line = line.replace(/\r$/, "");
    this.carriage = line.slice(this.line.length);
    this.#find();
  }

  get char() {
    return this.line[this.next] ?? "";
  }

  /** What is left of the line. */
  get rest() {
    if (!this.#partial) return this.line.slice(this.offset);
    return " ".repeat(4 - (this.column % 4)) + this.line.slice(this.offset + 1);
  }

  #find() {
    let at = this.offset;
    let column = this.column;
    for (; at < this.line.length; at++) {
      if (this.line[at] === " ") column++;
      else if (this.line[at] === "\t") column += 4 - (column % 4);
      else break;
    }
    this.next = at;
    this.#nextColumn = column;
    this.indent = column - this.column;
    this.blank = at === this.line.length;
  }

  /** Go to the next character that is no space. */
  skip() {
    this.offset = this.next;
    this.column = this.#nextColumn;
    this.#partial = false;
    this.#find();
  }

  /** Go on by `count` columns; of a tab, part of it may remain. */
  advance(count) {
    while (count > 0 && this.offset < this.line.length) {
      if (this.line[this.offset] === "\t") {
        const wide = 4 - (this.column % 4);
        this.#partial = wide > count;
        const step = Math.min(wide, count);
        this.column += step;
        count -= step;
        if (!this.#partial) this.offset++;
      } else {
        this.#partial = false;
        this.offset++;
        this.column++;
        count--;
      }
    }
    this.#find();
  }

  /** One space or tab's column, if there is one here. */
  space() {
    if (" \t".includes(this.line[this.offset] ?? "x")) this.advance(1);
  }
}
