// The run: what it is doing right now, how long already, and the way to stop it.

import { post } from "/api.js";
import { $, visible } from "/dom.js";
import { amount, context, seconds, share } from "/format.js";
import { say } from "/strings.js";

const SPOKEN = 5000; // ms between two sentences for a screen reader

/** Follows the events of the watched session. `changed()` is called when a run begins or ends. */
export class Run {
  rid = "";
  #changed;
  #phase = "";
  #since = 0;
  #tools = new Map();
  #prefill = null;
  #told = 0;
  #timer = 0;
  #spoken = 0;

  constructor(changed) {
    this.#changed = changed;
    $("stop").addEventListener("click", () => this.stop());
  }

  /** Nothing is known of the session. */
  clear() {
    this.#tools.clear();
    this.#set("");
    this.#meters({});
  }

  /** The state in a snapshot; `usage` is the newest one among its items. */
  snapshot({ run, inflight, meters }, usage) {
    this.clear();
    this.#meters(meters?.ctx_max ? meters : usage ?? {});
    if (!run) return;
    for (const tool of run.tools) this.#tools.set(tool.call, tool.name);
    this.#take(run.prefill ?? null);
    this.#go(this.#tools.size ? "tool" : inflight?.ch || "wait");
    this.#model(run.model);
    this.#set(run.rid);
  }

  /** One live event. */
  apply(body) {
    this[`on_${body.type.replace(".", "_")}`]?.(body);
  }

  /** Ask the server to stop; it says when that is done. */
  async stop() {
    if (!this.rid) return;
    $("stop").disabled = true;
    try {
      await post(`/api/runs/${this.rid}/cancel`, {});
    } catch {
      $("stop").disabled = false;
    }
  }

  on_run_start(body) {
    this.#model(body.model);
    this.#go("wait");
    this.#set(body.rid);
  }

  on_round_start() {
    this.#go("wait");
  }

  on_prefill(body) {
    this.#take(body);
    this.#show();
  }

  on_delta({ ch }) {
    if (this.#phase !== ch && this.rid) this.#go(ch);
  }

  on_tool_start({ call, name }) {
    this.#tools.set(call, name);
    this.#go("tool");
  }

  on_tool_end({ call }) {
    this.#tools.delete(call);
    this.#go(this.#tools.size ? "tool" : "wait");
  }

  on_usage(body) {
    this.#meters(body);
  }

  on_run_end({ reason }) {
    this.#tools.clear();
    this.#set("");
    this.#say(say(`web.spoken.${reason}`));
  }

  #go(phase) {
    this.#phase = phase;
    this.#since = Date.now();
    if (phase !== "wait") this.#take(null);
    this.#show();
  }

  /** What is known of the wait for the first token, and since when. */
  #take(prefill) {
    this.#prefill = prefill;
    this.#told = Date.now();
  }

  #set(rid) {
    const differs = rid !== this.rid;
    this.rid = rid;
    clearInterval(this.#timer);
    if (rid) this.#timer = setInterval(() => this.#show(), 1000);
    else this.#take(null);
    $("work").hidden = !rid;
    $("stop").hidden = !rid;
    $("stop").disabled = false;
    $("log").setAttribute("aria-busy", String(Boolean(rid)));
    this.#show();
    if (differs) this.#changed();
  }

  #show() {
    const bar = $("work-bar");
    const prefill = this.#prefill;
    const reads = Boolean(prefill?.total);
    bar.hidden = !reads;
    if (!this.rid) return;
    if (reads) bar.value = percentOf(prefill);
    const name = [...this.#tools.values()].join(", ");
    const time = seconds(Date.now() - this.#since);
    $("work-text").textContent = prefill && (reads || prefill.phase !== "read")
      ? waiting(prefill, Date.now() - this.#told, time)
      : say(`web.work.${this.#phase || "wait"}`, { time, name });
  }

  #model(name) {
    if (name) $("model").textContent = visible(name);
  }

  #meters(body) {
    const node = $("context");
    const used = share(body);
    node.textContent = context(body);
    node.dataset.level = used >= 95 ? "full" : used >= 85 ? "high" : "";
    node.title = used === null ? ""
      : say("web.context", { used: amount(body.ctx), of: amount(body.ctx_max) });
  }

  #say(sentence) {
    if (Date.now() - this.#spoken < SPOKEN) return;
    this.#spoken = Date.now();
    $("status").textContent = sentence;
  }
}

const percentOf = ({ done, total }) => Math.min(100, Math.floor((100 * done) / total));

/** How far the prompt is read, or why nothing is read; `age`: ms since that was told. */
function waiting(prefill, age, time) {
  const { phase, done, total, tps, ms, left_ms } = prefill;
  const rest = left_ms === null ? null : Math.max(0, left_ms - age);
  const left = rest === null ? null : seconds(rest);
  if (phase !== "read") {
    const text = say(`web.work.${phase}`, { time: seconds(ms + age) });
    return left === null ? text : say("web.work.again", { text, left });
  }
  const facts = { percent: percentOf(prefill), done: amount(done), total: amount(total), time };
  if (!rest || !tps) return say("web.work.prefill", facts);
  return say("web.work.prefill.left", { ...facts, speed: Math.round(tps), left });
}
