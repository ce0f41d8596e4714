// A message of the model: its thinking, folded, and its text. What is settled is never touched
// again.

import { count, el, fold, fresh, visible } from "/dom.js";
import { amount, seconds } from "/format.js";
import { Markdown } from "/markdown/markdown.js";
import { say } from "/strings.js";

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
        this.#text = new Markdown(home);
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
