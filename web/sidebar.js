// The list of sessions, newest first, with what each is doing.

import { get } from "/api.js";
import { $, el, visible } from "/dom.js";
import { day } from "/format.js";
import { say } from "/strings.js";

/** Keeps the list; `current` is the session on screen. */
export class Sidebar {
  #sessions = [];
  #current = "";
  #heard = 0;

  constructor() {
    $("menu").addEventListener("click", () => this.drawer(true));
    $("close").addEventListener("click", () => this.drawer(false));
    $("shade").addEventListener("click", () => this.drawer(false));
  }

  /** Ask the server for the list; again where it has changed on the way. */
  async load() {
    let heard;
    do {
      heard = this.#heard;
      this.#sessions = (await get("/api/sessions")).sessions;
    } while (heard !== this.#heard);
    this.#draw();
  }

  /** Mark a session as the one on screen. */
  select(sid) {
    this.#current = sid;
    const own = this.#sessions.find((session) => session.id === sid);
    if (own) own.unread = false;
    this.drawer(false);
    this.#draw();
  }

  /** The title of a session, as far as it is known. */
  title(sid) {
    return this.#sessions.find((session) => session.id === sid)?.title ?? "";
  }

  /** A session.status event. */
  apply({ sid, title, state, unread, ts }) {
    this.#heard++;
    let session = this.#sessions.find((known) => known.id === sid);
    if (!session) {
      session = { id: sid, title, last: ts };
      this.#sessions.unshift(session);
    }
    Object.assign(session, { state, last: ts, unread: unread && sid !== this.#current });
    if (title) session.title = title;
    this.#sessions.sort((a, b) => b.last - a.last);
    this.#draw();
  }

  /** Open or close the drawer of narrow windows. True where it was open. */
  drawer(open) {
    const was = document.body.classList.contains("drawer");
    document.body.classList.toggle("drawer", open);
    $("menu").setAttribute("aria-expanded", String(open));
    if (open) $("close").focus();
    else if (was) $("menu").focus();
    return was;
  }

  #draw() {
    const focused = document.activeElement?.dataset?.sid;
    const nodes = [];
    let heading = "";
    for (const session of this.#sessions) {
      const here = day(session.last);
      if (here !== heading) nodes.push(el("h2", { text: (heading = here) }));
      nodes.push(this.#link(session));
    }
    $("sessions").replaceChildren(...nodes);
    if (focused) $("sessions").querySelector(`[data-sid="${CSS.escape(focused)}"]`)?.focus();
  }

  #link({ id, title, state, unread }) {
    const link = el("a", { href: `#s=${id}`, class: "session", "data-sid": id });
    link.dataset.state = state ?? "";
    if (id === this.#current) link.setAttribute("aria-current", "page");
    if (unread) link.classList.add("unread");
    link.append(el("span", { class: "dot", "aria-hidden": "true" }));
    link.append(el("span", { class: "name", text: visible(title) || id }));
    const known = ["running", "approval", "interrupted"].includes(state);
    const words = unread ? say("web.state.unread") : known ? say(`web.state.${state}`) : "";
    if (words) link.append(el("span", { class: "unseen", text: words }));
    link.title = visible(title);
    return link;
  }
}
