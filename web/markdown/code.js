// A block of code: its language, buttons to wrap and to copy, and colours. It grows by lines.

import { copyButton } from "/copy.js";
import { el, visible } from "/dom.js";
import { painter } from "/markdown/colour.js";
import { say } from "/strings.js";

const RUN = 4000; // characters of plain text that one node takes
const LABEL = 32;

/** `info`: what stands behind the fence. A line that is not firm is taken back by the next. */
export class Code {
  node;
  key;
  #code = el("code");
  #lines = []; // as they were written
  #paint;
  #tentative = [];

  constructor(info, kind) {
    const language = kind === "formula" ? "TeX" : info.split(/\s/)[0];
    this.key = `code ${kind} ${info}`;
    this.#paint = painter(language.toLowerCase());
    const wrap = el("button", { class: "quiet", type: "button", "aria-pressed": "false",
      "data-say": "web.wrap", text: say("web.wrap") });
    wrap.addEventListener("click", () => {
      wrap.setAttribute("aria-pressed", String(this.node.classList.toggle("wrap")));
    });
    const label = visible(language.slice(0, LABEL));
    const name = el("span", { class: "language", text: label });
    this.node = el("figure", { class: "code" },
      el("figcaption", {}, name, wrap, copyButton(() => this.text)),
      el("pre", { tabindex: "0" }, this.#code));
  }

  /** What is copied: the code, without the end of its last line: a shell would run it. */
  get text() {
    return this.#lines.join("\n").replace(/\r$/, "");
  }

  /** Add a line, without the line feed at its end. */
  add(line, firm) {
    this.settle();
    const first = this.#code.firstChild === null && this.#lines.length === 0;
    const pieces = this.#paint.line(line.replace(/\r$/, ""), firm);
    if (!first) pieces.unshift(["", "\n"]);
    if (firm) this.#lines.push(line);
    this.#append(pieces, firm);
  }

  /** More of the last line, without colours. */
  more(text, firm) {
    this.settle();
    if (firm) this.#lines.push((this.#lines.pop() ?? "") + text);
    this.#append([["", text]], firm);
  }

  /** Take back what was not firm. */
  settle() {
    for (const node of this.#tentative) node.remove();
    this.#tentative = [];
  }

  #append(pieces, firm) {
    for (const [kind, text] of pieces) {
      const shown = visible(text);
      const last = this.#code.lastChild;
      if (firm && !kind && last?.nodeType === Node.TEXT_NODE && last.length < RUN) {
        last.appendData(shown);
        continue;
      }
      const node = kind ? el("span", { class: `tok-${kind}`, text: shown })
        : document.createTextNode(shown);
      this.#code.append(node);
      if (!firm) this.#tentative.push(node);
    }
  }
}
