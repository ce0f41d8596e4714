// A tool call: one quiet line, with what it printed and changed folded away.

import { count, el, fold, fresh, visible } from "/dom.js";
import { duration } from "/format.js";
import { say } from "/strings.js";

const KEPT = 200000; // characters of output that the page keeps
const ROWS = 400; // lines shown at once: the first and the last half
const SIGNS = { "+": "add", "-": "del", "@": "at" };

/** One call. `state` is running, ok, failed, refused or lost (it has no result). */
export class Card {
  state = "running";
  node;
  #body = el("div", { class: "body", hidden: true });
  #meta = el("span", { class: "meta" });
  #reason = el("div", { class: "reason", hidden: true });
  #live = null;
  #out = "";
  #have = 0;
  #cut = false;
  #diff = null;
  #args;
  #title;
  #open = false;

  constructor(start) {
    this.#args = start.args ?? {};
    this.#title = start.title;
    const name = visible(start.name);
    const title = visible(start.title) === name ? "" : visible(start.title);
    const button = el("button", { class: "fold" },
      el("span", { class: "mark", "aria-hidden": "true" }), el("b", { text: name }), el("code", { class: "title", text: title }), this.#meta);
    fold(button, this.#body, (open) => {
      this.#open = open;
      if (open) this.#fill();
    });
    this.node = el("div", { class: "card" }, button, this.#reason, this.#body);
    this.#set("running", say("web.tool.running"));
  }

  /** A piece of output. A gap is shown as one: the beginning may not have been kept. */
  out(off, s) {
    let piece = fresh(this.#have, off, s);
    if (piece === null) {
      this.#cut = true;
      piece = s;
    }
    this.#have = Math.max(this.#have, off + count(s));
    this.#out += piece;
    if (this.#out.length > 2 * KEPT) {
      this.#out = this.#out.slice(-KEPT);
      this.#cut = true;
    }
    if (this.#live && piece) this.#live.appendData(visible(piece));
  }

  end(body) {
    this.#diff = body.diff;
    const meta = [];
    if (body.decision === "deny") {
      this.#set("refused", say("web.tool.refused"));
      this.#reason.textContent = visible(this.#out);
      this.#reason.hidden = !this.#out;
      return;
    }
    if (body.diff) meta.push(changes(body.diff));
    if (body.exit !== null && body.exit !== 0) meta.push(say("web.tool.exit", { n: body.exit }));
    else if (!body.ok) meta.push(say("web.tool.failed"));
    meta.push(duration(body.ms));
    this.#set(body.ok ? "ok" : "failed", meta.join(" · "));
    if (this.#open) this.#fill();
  }

  /** The run is over and this call has no result. */
  lose() {
    if (this.state === "running") this.#set("lost", say("web.tool.lost"));
  }

  #set(state, meta) {
    this.state = this.node.dataset.state = state;
    this.#meta.textContent = meta;
  }

  #fill() {
    this.#live = null;
    this.#body.replaceChildren();
    // A diff says all that the arguments do; the title often says one of them.
    for (const [name, value] of this.#diff ? [] : Object.entries(this.#args)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      if (text === this.#title && this.state !== "refused") continue;
      const label = el("span", { text: visible(name) });
      this.#body.append(el("div", { class: "arg" }, label, block(text)));
    }
    if (this.#diff) this.#body.append(diff(this.#diff));
    if (this.#cut) this.#body.append(el("div", { class: "note", text: say("web.tool.cut") }));
    // Of a refused call it is the reason, which is on screen already.
    if (this.#out && this.state !== "refused") this.#body.append(this.#output());
  }

  #output() {
    if (this.state !== "running") return block(this.#out);
    this.#live = document.createTextNode(visible(this.#out));
    return el("pre", { tabindex: "0" }, this.#live);
  }
}

/** Text as lines; of many lines the first and last, and a button for the rest. */
function block(text) {
  const lines = visible(text).replace(/\n$/, "").split("\n");
  const shown = (part) => el("pre", { tabindex: "0", text: part.join("\n") });
  if (lines.length <= ROWS) return shown(lines);
  const half = ROWS / 2;
  const hidden = lines.slice(half, -half);
  const words = say("web.tool.hidden", { n: hidden.length });
  const more = el("button", { class: "quiet", type: "button", text: words });
  more.addEventListener("click", () => more.replaceWith(shown(hidden)));
  return el("div", {}, shown(lines.slice(0, half)), more, shown(lines.slice(-half)));
}

/** A unified diff, line by line; the sign says it, the colour repeats it. */
function diff(text) {
  const lines = visible(text).replace(/\n$/, "").split("\n");
  const shown = lines.slice(0, ROWS).map((line) => {
    const kind = /^(---|\+\+\+) /.test(line) ? "at" : SIGNS[line[0]] ?? "";
    return el("span", { class: kind, text: line || " " });
  });
  const home = el("pre", { class: "diff", tabindex: "0" }, ...shown);
  const hidden = lines.length - ROWS;
  if (hidden > 0) home.append(el("span", { class: "at", text: say("web.tool.rows", { n: hidden }) }));
  return home;
}

function changes(text) {
  const lines = text.split("\n").filter((line) => !/^(---|\+\+\+) /.test(line));
  const number = (sign) => lines.filter((line) => line.startsWith(sign)).length;
  return `+${number("+")} −${number("-")}`;
}
