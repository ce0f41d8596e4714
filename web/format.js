// Figures for people, the same as in the terminal.

import { lang, say } from "/strings.js";

/** Tokens: 950, 18.2k. */
export const amount = (n) => (n < 1000 ? String(n) : (n / 1000).toFixed(1) + "k");

/** Bytes: 0 B, 1.2 kB, 3.4 MB. */
export function bytes(n) {
  if (n < 1000) return `${n} B`;
  return n < 999500 ? `${(n / 1000).toFixed(1)} kB` : `${(n / 1e6).toFixed(1)} MB`;
}

/** Milliseconds: 4 ms, 2.1 s, 3 min 20 s. */
export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const all = Math.round(ms / 1000);
  return `${Math.floor(all / 60)} min ${all % 60} s`;
}

/** Whole seconds: 12 s, 3 min 20 s. */
export function seconds(ms) {
  const all = Math.max(1, Math.round(ms / 1000));
  return all < 60 ? `${all} s` : `${Math.floor(all / 60)} min ${all % 60} s`;
}

/** The heading a session stands under. */
export function day(ts) {
  const then = new Date(ts * 1000);
  const midnight = (at) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
  const days = Math.round((midnight(new Date()) - midnight(then)) / 86400000);
  if (days <= 0) return say("web.today");
  if (days === 1) return say("web.yesterday");
  return new Intl.DateTimeFormat(lang(), { year: "numeric", month: "long" }).format(then);
}

/** What one round cost: round 3/15 · in 18.2k (cache 97%) · out 212 · prefill 546 in 0.4 s · 23.4 t/s. */
export function usage(body, cap) {
  const round = say("web.usage.round", { n: cap ? `${body.n}/${cap}` : body.n });
  const parts = [body.of ? say("web.usage.archive") : round];
  if (body.prompt !== null) {
    const tokens = amount(body.prompt);
    parts.push(body.hit === null ? say("web.usage.in", { tokens })
      : say("web.usage.in_cached", { tokens, hit: Math.round(body.hit) }));
  } else {
    parts.push(say("web.usage.unknown"));
  }
  if (body.out !== null) parts.push(say("web.usage.out", { tokens: amount(body.out) }));
  if (body.cached !== null && body.prompt !== null) {
    parts.push(say("web.usage.read",
      { tokens: amount(body.prompt - body.cached), time: duration(body.ttft_ms ?? 0) }));
  }
  if (body.tg_tps !== null) parts.push(say("web.usage.speed", { speed: body.tg_tps.toFixed(1) }));
  if (share(body) !== null) parts.push(context(body));
  return parts.join(" · ");
}

/** The used part of the context in per cent, or null. */
export function share(body) {
  if (!body.ctx || !body.ctx_max) return null;
  return Math.min(100, Math.round((100 * body.ctx) / body.ctx_max));
}

/** The same in words; where the server does not count, it is our estimate and says so. */
export function context(body) {
  const key = body.prompt === null ? "web.usage.ctx_about" : "web.usage.ctx";
  return share(body) === null ? "" : say(key, { share: share(body) });
}
