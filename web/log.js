// The conversation: events in, blocks out. A replay and a live run come through the same door.

import { Card } from "/card.js";
import { $, el, visible } from "/dom.js";
import { amount, bytes, duration, usage } from "/format.js";
import { Message } from "/message.js";
import { say } from "/strings.js";

/** Shows events in `home`. `gap()` is called when something is missing before a piece of text. */
export class Log {
  #home;
  #gap;
  #round = null;
  #said = null;
  #messages = new Map();
  #cards = new Map();
  #mended = new Set();
  #cap = 0;

  constructor(home, gap) {
    this.#home = home;
    this.#gap = gap;
  }

  clear() {
    this.#home.replaceChildren();
    this.#round = this.#said = null;
    this.#messages.clear();
    this.#cards.clear();
    this.#mended.clear();
    this.#cap = 0;
  }

  /** Show one event. */
  apply(body) {
    this[`on_${body.type.replace(".", "_")}`]?.(body);
  }

  /** What a snapshot has beyond its items. */
  inflight({ run, inflight }) {
    if (run) this.#cap = run.cap;
    if (inflight) {
      const { mid, role, off, text, think_off, think, args } = inflight;
      const ts = Date.now() / 1000;
      this.apply({ type: "msg.start", mid, role });
      if (role === "assistant") this.#messages.get(mid).from({ text: off, think: think_off, args });
      if (think) this.apply({ type: "delta", mid, ch: "think", off: think_off, s: think, ts });
      if (text) this.apply({ type: "delta", mid, ch: "text", off, s: text, ts });
    }
    for (const tool of run?.tools ?? []) {
      this.apply({ ...tool, type: "tool.start" });
      this.apply({ type: "tool.out", call: tool.call, off: tool.off, s: tool.out });
    }
    if (!run) this.#settle();
  }

  on_run_start(body) {
    this.#cap = body.cap;
  }

  on_msg_start({ mid, role }) {
    if (role === "assistant") {
      // A cut answer that goes on comes under its old name.
      if (this.#messages.has(mid)) {
        this.#messages.get(mid).again();
        return;
      }
      const message = new Message();
      this.#messages.set(mid, message);
      this.#begin().insert(message.node);
      return;
    }
    this.#round = null;
    this.#said = el("div", { class: role === "user" ? "said" : "auto" });
    this.#home.append(el("div", { class: "turn" }, this.#said));
    this.#messages.set(mid, new Said(this.#said));
  }

  on_msg_images({ mid, images }) {
    this.#messages.get(mid)?.images(images);
  }

  on_delta({ mid, ch, off, s, ts }) {
    const message = this.#messages.get(mid);
    if (!message || !message.feed(ch, off, s, ts)) this.#gap();
  }

  on_msg_end({ mid, finish, think_ms, stands }) {
    if (stands) this.#messages.get(mid)?.replace?.(stands);
    this.#messages.get(mid)?.end(finish, think_ms);
  }

  on_usage(body) {
    (this.#round ?? this.#begin()).cost(usage(body, this.#cap));
  }

  on_tool_start(body) {
    if (this.#cards.get(body.call)?.state === "running") return;
    const card = new Card(body);
    this.#cards.set(body.call, card);
    (this.#round ?? this.#begin()).insert(card.node);
  }

  on_tool_out({ call, off, s }) {
    this.#cards.get(call)?.out(off, s);
  }

  on_tool_end(body) {
    this.#cards.get(body.call)?.end(body);
  }

  on_notice({ level, key, params }) {
    if (level === "info" && key.startsWith("notice.wire.")) {
      // What the client mends is told once a session; the events have it each time.
      const what = key + JSON.stringify(params);
      if (this.#mended.has(what)) return;
      this.#mended.add(what);
    }
    this.#home.append(el("div", { class: "notice", "data-level": level, text: say(key, params) }));
    this.#round = null;
  }

  on_archived({ failed, before, after, ms }) {
    const params = { before: amount(before), after: amount(after), time: duration(ms), why: failed };
    this.on_notice({ level: "warn", key: failed ? "notice.archive.failed" : "notice.archived", params });
  }

  on_window({ before, after }) {
    const params = { before: amount(before), after: amount(after) };
    this.on_notice({ level: "warn", key: "notice.window", params });
  }

  on_run_end({ reason, detail }) {
    this.#settle();
    this.#round = null;
    if (reason === "done") return;
    const words = detail ? visible(detail) : say(`web.end.${reason}`);
    const level = reason === "cancelled" ? "info" : "error";
    this.#home.append(el("div", { class: "notice end", "data-level": level, text: words }));
  }

  #begin() {
    this.#round = new Round();
    this.#home.append(this.#round.node);
    return this.#round;
  }

  #settle() {
    for (const message of this.#messages.values()) message.settle?.();
    for (const card of this.#cards.values()) card.lose();
  }
}

/** One model call and the tools it asked for, with a line about its cost at the end. */
class Round {
  node = el("section", { class: "round" });
  #cost = null;

  insert(node) {
    this.node.insertBefore(node, this.#cost);
  }

  cost(text) {
    this.#cost ??= this.node.appendChild(el("div", { class: "cost" }));
    this.#cost.textContent = text;
  }
}

/** A message of the person, or of the harness in their place: text as it is. */
class Said {
  #home;

  constructor(home) {
    this.#home = home;
  }

  images(images) {
    for (const { mime, size } of images) {
      const text = say("web.image", { mime, size: bytes(size ?? 0) });
      this.#home.append(el("p", { class: "image", text }));
    }
  }

  feed(ch, off, s) {
    if (ch === "text" && off === 0) this.#home.append(el("p", { text: visible(s) }));
    return true;
  }

  end() {}
}
