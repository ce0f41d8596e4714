// Writing and sending. What was typed is never lost: it stays until the server has it.

import { Refusal, post, random } from "/api.js";
import { $, touch } from "/dom.js";
import { say } from "/strings.js";

const DRAFT = "clinkai.draft.";

/** The box at the bottom. `sent({sid, rid, seq})` is called when the server has a message;
    `busy()` tells whether a run is under way. */
export class Composer {
  #sid = "";
  #sent;
  #busy;
  #idem = null;
  #sending = false;
  #composing = false;

  constructor({ sent, busy }) {
    this.#sent = sent;
    this.#busy = busy;
    const box = $("message");
    box.addEventListener("input", () => this.#typed());
    box.addEventListener("compositionstart", () => (this.#composing = true));
    box.addEventListener("compositionend", () => setTimeout(() => (this.#composing = false)));
    box.addEventListener("blur", () => (this.#composing = false));
    box.addEventListener("keydown", (event) => this.#key(event));
    $("send").addEventListener("click", () => this.send());
  }

  /** Write to another session; each has its own draft. */
  open(sid) {
    this.#sid = sid;
    this.#idem = null;
    $("message").value = localStorage.getItem(DRAFT + sid) ?? "";
    this.problem("");
    this.update();
  }

  /** The state of the run has changed, or the text. */
  update() {
    const empty = !$("message").value.trim();
    this.#grow();
    $("send").hidden = this.#busy();
    $("send").disabled = empty || this.#sending;
  }

  /** Words about what went wrong, or none. */
  problem(words) {
    $("problem").textContent = words;
    $("problem").hidden = !words;
  }

  async send() {
    const box = $("message");
    const text = box.value;
    if (!text.trim() || this.#sending) return;
    if (this.#busy()) {
      this.problem(say("web.busy"));
      return;
    }
    const sid = this.#sid;
    this.#sending = true;
    this.update();
    // The same text sent again after a broken answer is the same message.
    if (this.#idem?.text !== text) this.#idem = { text, id: random() };
    try {
      const path = sid ? `/api/sessions/${sid}/messages` : "/api/sessions";
      const answer = await post(path, { text, idem: this.#idem.id });
      this.#forget(sid, text);
      this.problem("");
      this.#sent(answer);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.problem(error.status ? error.message : say("web.unreachable"));
    } finally {
      this.#sending = false;
      this.update();
    }
  }

  #forget(sid, text) {
    this.#idem = null;
    localStorage.removeItem(DRAFT + sid);
    if (this.#sid === sid && $("message").value === text) $("message").value = "";
  }

  #typed() {
    const text = $("message").value;
    if (text) localStorage.setItem(DRAFT + this.#sid, text);
    else localStorage.removeItem(DRAFT + this.#sid);
    this.update();
  }

  /** The box is as high as its text, up to the limit of its style. */
  #grow() {
    if (CSS.supports("field-sizing", "content")) return;
    const box = $("message");
    box.style.height = "auto";
    box.style.height = `${box.scrollHeight}px`;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey) return;
    // The Enter that ends a composition is not ours; in Safari it comes after its end, as 229.
    if (event.isComposing || event.keyCode === 229 || this.#composing) return;
    if (touch()) return;
    event.preventDefault();
    this.send();
  }
}
