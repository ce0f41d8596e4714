// A message of the model: its thinking, folded, and its text. Only the last text node ever grows;
// what is settled is never touched again.

import { count, el, fold, fresh, visible } from "/dom.js";
import { amount, seconds } from "/format.js";
import { say } from "/strings.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/;
const MAYBE_FENCE = /^ {0,3}(`|~|$)/;

/** Text with its fenced code set apart, the same in pieces as at once. */
export class Prose {
  #home;
  #line = "";
  #node = null;
  #breaks = 0;
  #fence = "";

  constructor(home) {
    this.#home = home;
  }

  /** Add a piece of text. */
  feed(text) {
    const parts = visible(text).split("\n");
    parts.forEach((part, at) => {
      this.#part(part);
      if (at < parts.length - 1) this.#newline();
    });
  }

  /** Nothing follows. */
  end() {
    if (this.#line) this.#close();
    this.#node = null;
  }

  #part(part) {
    if (!part) return;
    // The start of a line is held back while it may become a fence.
    if (this.#line !== null) {
      this.#line += part;
      if (MAYBE_FENCE.test(this.#line)) return;
      part = this.#line;
      this.#line = null;
    }
    this.#show(part);
  }

  #newline() {
    if (this.#line) this.#close();
    else this.#breaks++;
    this.#line = "";
  }

  /** A held line is over: a fence, or text after all. */
  #close() {
    const match = FENCE.exec(this.#line);
    const closes = this.#fence && match && !match[2] && match[1].startsWith(this.#fence);
    if (closes) {
      this.#fence = "";
      this.#node = null;
      this.#breaks = 0;
    } else if (match && !this.#fence) {
      this.#fence = match[1];
      this.#open("pre", match[2]);
    } else {
      this.#show(this.#line);
      this.#breaks = 1;
    }
  }

  #show(text) {
    // An empty line ends a paragraph, so that a long answer is many small blocks.
    const paragraph = !this.#fence && this.#breaks > 1;
    if (!this.#node || paragraph) this.#open(this.#fence ? "pre" : "p", "");
    this.#node.appendData("\n".repeat(this.#breaks) + text);
    this.#breaks = 0;
  }

  #open(tag, language) {
    this.#node = document.createTextNode("");
    this.#breaks = 0;
    if (tag === "p") {
      this.#home.append(el("p", {}, this.#node));
      return;
    }
    const code = el("pre", { tabindex: "0" }, el("code", {}, this.#node));
    const caption = language ? [el("figcaption", { text: language })] : [];
    this.#home.append(el("figure", { class: "code" }, ...caption, code));
  }
}

/** One message of the model. */
export class Message {
  node = el("div", { class: "message" });
  #have = { text: 0, think: 0, args: 0 };
  #text = null;
  #thought = null;
  #goesOn = false;

  /** Add a piece; false where something before it is missing. */
  feed(ch, off, s, ts) {
    const piece = fresh(this.#have[ch], off, s);
    if (piece === null) return false;
    this.#have[ch] = Math.max(this.#have[ch], off + count(s));
    if (ch === "think") {
      this.#thought ??= new Thought(this.node, ts);
      this.#thought.feed(piece, ts);
      return true;
    }
    this.#thought?.end();
    if (ch === "text" && piece) {
      if (!this.#text) {
        const home = el("div", { class: "prose" });
        this.node.append(home);
        this.#text = new Prose(home);
      }
      this.#text.feed(piece);
    }
    return true;
  }

  /** Each channel starts at its offset: what is before stands elsewhere. */
  from(offsets) {
    this.#have = offsets;
  }

  /** A cut answer goes on: its text where it was, further thinking in a fold of its own. */
  again() {
    this.#thought = null;
    this.#goesOn = false;
  }

  /** What was told is not how the message stands: part of it turned out to be thinking. */
  replace({ text, think }) {
    this.node.replaceChildren();
    this.#have = { text: 0, think: 0, args: this.#have.args };
    this.#text = this.#thought = null;
    const ts = Date.now() / 1000;
    if (think) this.feed("think", 0, think, ts);
    if (text) this.feed("text", 0, text, ts);
  }

  end(finish, thinkMs) {
    this.#thought?.end(thinkMs);
    this.#goesOn = finish === "length" || finish === "error";
    if (!this.#goesOn) this.#text?.end();
  }

  /** An answer that was cut or broke does not go on any more. */
  settle() {
    if (this.#goesOn) this.#text?.end();
    this.#goesOn = false;
  }
}

/** Thinking: a small window while it is written, one line afterwards. */
class Thought {
  #button = el("button", { class: "fold" }, el("span", { class: "mark", "aria-hidden": "true" }));
  #label = el("span", { text: say("web.thinking") });
  #body = el("div", { class: "thought live" });
  #node = document.createTextNode("");
  #began;
  #last;
  #chars = 0;
  #live = true;
  #touched = false;

  constructor(home, ts) {
    this.#began = this.#last = ts;
    this.#button.append(this.#label);
    this.#body.append(this.#node);
    fold(this.#button, this.#body, (open) => {
      this.#touched = true;
      this.#body.hidden = !open;
      this.#body.classList.remove("live");
    });
    this.#button.setAttribute("aria-expanded", "true");
    home.append(el("div", { class: "thinking" }, this.#button, this.#body));
  }

  feed(text, ts) {
    this.#chars += text.length;
    this.#last = ts;
    this.#node.appendData(visible(text));
    if (this.#body.classList.contains("live")) this.#body.scrollTop = this.#body.scrollHeight;
  }

  end(ms = 0) {
    const took = ms || (this.#last - this.#began) * 1000;
    const size = say("web.thought.size", { size: amount(this.#chars) });
    if (took >= 500) this.#label.textContent = say("web.thought.time", { time: seconds(took) });
    else if (this.#live) this.#label.textContent = size;
    if (!this.#live) return;
    this.#live = false;
    this.#body.classList.remove("live");
    // Opened by the reader: it stays as it is.
    if (this.#touched) return;
    this.#button.setAttribute("aria-expanded", "false");
    this.#body.hidden = true;
  }
}
