// The one event stream of this tab: cursor, heartbeat, reconnecting, hiding.
// Rules: an event without a gap or a snapshot; silence means dead; a hidden tab lets go.

import { client, headers } from "/api.js";
import { Frames } from "/frames.js";

const SILENCE = 25000; // a heartbeat comes every 10 s
const SILENCE_SEEN = 20000; // the same, when somebody comes back to the tab
const HIDDEN = 60000; // a tab that is not looked at closes its stream
const DELAYS = [1000, 2000, 4000, 10000];

/** Watches one session ("" for none). `onEvent` gets bodies in order; `onState` one of: open,
    lost, stopped (server ended), paused (other tabs watch), refused (token), missing (session). */
export class Stream {
  #onEvent;
  #onState;
  #session = "";
  #cursor = "";
  #abort = null;
  #timer = 0;
  #watch = 0;
  #heard = 0;
  #tries = 0;
  #hiding = 0;
  #paused = false;
  #wanted = false;

  constructor(onEvent, onState) {
    this.#onEvent = onEvent;
    this.#onState = onState;
    addEventListener("online", () => this.#revive(0));
    document.addEventListener("visibilitychange", () => this.#look());
  }

  /** Watch another session, from its snapshot on. */
  open(session) {
    this.#session = session;
    this.#cursor = "";
    this.resume();
  }

  /** Begin again where it stopped. */
  resume() {
    this.#wanted = true;
    this.#paused = false;
    this.#tries = 0;
    this.#connect();
    if (document.visibilityState === "hidden") this.#hide();
  }

  /** Something is missing: begin again with a snapshot. */
  restart() {
    this.#cursor = "";
    this.#connect();
  }

  /** Let go. */
  close() {
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    this.#abort?.abort();
    this.#abort = null;
  }

  async #connect() {
    this.close();
    const abort = (this.#abort = new AbortController());
    this.#heard = Date.now();
    this.#watch = setInterval(() => {
      if (Date.now() - this.#heard > SILENCE) this.#lost(abort);
    }, 1000);
    const query = this.#session ? `?session=${this.#session}` : "";
    const more = { "X-Client": client() };
    if (this.#cursor) more["Last-Event-ID"] = this.#cursor;
    try {
      const answer = await fetch(`/api/events${query}`, {
        headers: headers(more), cache: "no-store", signal: abort.signal,
      });
      if (!answer.ok) return this.#denied(answer.status, abort);
      await this.#read(answer.body, abort);
    } catch {
      // The network, or our own abort: the same way back.
    }
    this.#lost(abort);
  }

  async #read(body, abort) {
    const frames = new Frames();
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { value, done } = await reader.read();
      if (done || abort !== this.#abort) return;
      this.#heard = Date.now();
      for (const frame of frames.feed(value)) {
        // What is taken may have begun another connection.
        if (abort === this.#abort) this.#take(frame, abort);
      }
    }
  }

  #take(frame, abort) {
    const body = JSON.parse(frame.data);
    if (frame.id) this.#cursor = frame.id;
    if (body.type === "hello") {
      this.#tries = 0;
      this.#onState("open", body);
    } else if (body.type === "bye") {
      this.#paused = body.reason === "evicted";
      if (this.#paused) this.#stop(abort, "paused");
      else this.#onState("stopped", body);
    } else if (body.type !== "hb") {
      this.#onEvent(body);
    }
  }

  #denied(status, abort) {
    if (status === 401) this.#stop(abort, "refused");
    else if (status === 404) this.#stop(abort, "missing");
    else this.#lost(abort);
  }

  #stop(abort, state) {
    if (abort !== this.#abort) return;
    this.close();
    this.#onState(state, {});
  }

  #lost(abort) {
    if (abort !== this.#abort) return;
    this.close();
    if (this.#paused) return;
    this.#onState("lost", {});
    const delay = DELAYS[Math.min(this.#tries++, DELAYS.length - 1)];
    this.#timer = setTimeout(() => this.#connect(), delay * (0.75 + Math.random() / 2));
  }

  #revive(silence) {
    if (this.#wanted && !this.#paused && Date.now() - this.#heard > silence) {
      this.#tries = 0;
      this.#connect();
    }
  }

  #look() {
    clearTimeout(this.#hiding);
    if (document.visibilityState === "hidden") {
      this.#hide();
    } else if (this.#paused) {
      this.resume();
    } else {
      this.#revive(this.#abort ? SILENCE_SEEN : 0);
    }
  }

  #hide() {
    clearTimeout(this.#hiding);
    this.#hiding = setTimeout(() => this.close(), HIDDEN);
  }
}
