// The page: signs in, watches one session, and hands its events to those who show them.

import * as api from "/api.js";
import { Composer } from "/composer.js";
import { $, el, touch, visible } from "/dom.js";
import { Log } from "/log.js";
import { Run } from "/run.js";
import { Follow } from "/scroll.js";
import { Sidebar } from "/sidebar.js";
import { Stream } from "/stream.js";
import { load, say } from "/strings.js";

const AT_ONCE = 100; // events shown in one frame
const GAP = 2000; // ms between two snapshots asked for because something was missing
const BANNERS = {
  lost: "web.lost", stopped: "web.stopped", paused: "web.paused", refused: "web.restarted",
};

class Page {
  #status;
  #sid = "";
  #queue = [];
  #planned = false;
  #unseen = 0;
  #first = 0;
  #gapAt = 0;
  #connection = "open";
  #log;
  #run = new Run(() => this.#composer?.update());
  #sidebar = new Sidebar();
  #follow = new Follow($("scroller"), (following) => this.#pinned(following));
  #composer = new Composer({
    sent: (answer) => this.#sent(answer),
    busy: () => Boolean(this.#run.rid),
  });
  #stream = new Stream((body) => this.#take(body), (state, body) => this.#state(state, body));

  async start(status) {
    this.#status = status;
    await load(status.lang);
    const folder = status.workspace.split(/[\\/]/).filter(Boolean).pop();
    $("workspace").textContent = visible(folder ?? status.workspace);
    $("workspace").title = visible(status.workspace);
    $("scripted").hidden = !status.scripted;
    $("signin").hidden = true;
    $("app").hidden = false;
    $("latest").addEventListener("click", () => this.#follow.end());
    $("older").addEventListener("click", () => this.#older());
    $("skip").addEventListener("click", () => $("message").focus());
    $("banner-act").addEventListener("click", () => this.#stream.resume());
    $("scroller").addEventListener("scroll", () => this.#near(), { passive: true });
    addEventListener("hashchange", () => this.#route());
    addEventListener("keydown", (event) => this.#key(event));
    this.#route();
  }

  // -- which session

  #route() {
    const match = /^#s=([0-9a-f]{8})$/.exec(location.hash);
    this.#open(match ? match[1] : "");
    // On a touch screen this would bring up the keyboard.
    if (!touch()) $("message").focus();
  }

  #open(sid) {
    this.#sid = sid;
    this.#queue = [];
    this.#empty();
    this.#follow.end();
    this.#run.clear();
    $("model").textContent = visible(this.#status.model);
    this.#composer.open(sid);
    this.#sidebar.select(sid);
    this.#welcome();
    this.#title();
    this.#stream.open(sid);
  }

  #sent({ sid }) {
    this.#follow.end();
    if (sid !== this.#sid) location.hash = `#s=${sid}`;
  }

  // -- events

  #take(body) {
    if (body.type === "session.status") {
      this.#sidebar.apply(body);
      this.#title();
      return;
    }
    if (body.type === "snapshot") this.#queue = [];
    this.#queue.push(body);
    if (!this.#planned) {
      this.#planned = true;
      requestAnimationFrame(() => this.#frame());
    }
  }

  #frame() {
    this.#planned = false;
    for (const body of this.#queue.splice(0, AT_ONCE)) {
      if (body.type === "snapshot") this.#snapshot(body);
      else this.#show(body);
    }
    this.#follow.settle();
    if (this.#queue.length) {
      this.#planned = true;
      requestAnimationFrame(() => this.#frame());
    }
  }

  #show(body) {
    this.#log.apply(body);
    this.#run.apply(body);
    if (!this.#follow.following && ["msg.start", "tool.start", "run.end"].includes(body.type)) {
      this.#unseen++;
      this.#pinned(false);
    }
  }

  #snapshot(body) {
    this.#follow.keep(() => {
      this.#empty();
      for (const item of body.items) this.#log.apply(item);
      this.#log.inflight(body);
    });
    this.#first = body.items[0]?.seq ?? 0;
    $("older").hidden = this.#first <= 2;
    this.#run.snapshot(body, body.items.findLast((item) => item.type === "usage"));
    this.#composer.update();
    // States of other sessions may have been missed along with the rest.
    this.#list();
  }

  #empty() {
    const home = el("div", { class: "page" });
    $("log").replaceChildren(home);
    $("older").hidden = true;
    this.#first = this.#unseen = 0;
    this.#log = new Log(home, () => this.#gap());
  }

  #gap() {
    if (Date.now() - this.#gapAt < GAP) return;
    this.#gapAt = Date.now();
    this.#stream.restart();
  }

  // -- older parts

  #near() {
    if ($("scroller").scrollTop < 200 && !this.#follow.following) this.#older();
  }

  async #older() {
    const [sid, before] = [this.#sid, this.#first];
    if ($("older").hidden || $("older").disabled) return;
    $("older").disabled = true;
    try {
      const page = await api.get(`/api/sessions/${sid}/items?before=${before}`);
      if (sid !== this.#sid || before !== this.#first) return;
      const home = el("div", { class: "page" });
      const log = new Log(home, () => {});
      for (const item of page.items) log.apply(item);
      this.#follow.keep(() => {
        $("log").prepend(home);
        $("older").hidden = !page.more;
      });
      this.#first = page.first;
    } catch (error) {
      this.#composer.problem(error.message);
    } finally {
      $("older").disabled = false;
    }
  }

  // -- around it

  #list() {
    // Where it fails the connection is lost, and the banner says so.
    this.#sidebar.load().then(() => this.#title(), () => {});
  }

  #title() {
    const title = this.#sid ? this.#sidebar.title(this.#sid) : say("web.new");
    $("title").textContent = visible(title);
    $("title").title = visible(title);
    document.title = title ? `${visible(title)} · ClinkAI` : "ClinkAI";
  }

  #welcome() {
    const home = $("welcome");
    home.hidden = Boolean(this.#sid);
    if (this.#sid) return;
    home.replaceChildren(
      el("h2", { text: say("web.welcome") }),
      el("p", { text: say("web.welcome.where", { workspace: this.#status.workspace }) }),
      el("p", { class: "note", text: say("web.welcome.asks") }),
    );
    if (this.#status.scripted) home.append(el("p", { class: "label", text: say("web.scripted") }));
  }

  #pinned(following) {
    if (following) this.#unseen = 0;
    $("latest").hidden = following;
    const key = this.#unseen ? "web.latest.n" : "web.latest";
    $("latest").textContent = say(key, { n: this.#unseen });
  }

  #key(event) {
    if (event.key === "Escape" && !event.isComposing && event.keyCode !== 229) {
      if (!this.#sidebar.drawer(false)) this.#run.stop();
    }
  }

  #state(state, body) {
    if (state === "lost" && this.#connection === "stopped") return;
    this.#connection = state;
    if (state === "open") {
      if (!this.#sid || body.resume === "replay") this.#list();
      this.#composer.problem("");
    }
    if (state === "missing") location.hash = "";
    const key = BANNERS[state];
    $("banner").hidden = !key;
    $("banner-text").textContent = key ? say(key) : "";
    $("banner-act").hidden = state !== "paused";
    $("banner-act").textContent = say("web.watch");
  }
}

/** The panel for a page without a token. */
function signIn(why) {
  $("app").hidden = true;
  $("signin").hidden = false;
  $("signin-why").textContent = say(why);
  $("address").focus();
}

async function enter(wrong) {
  try {
    await new Page().start(await api.get("/api/status"));
  } catch (error) {
    if (!(error instanceof api.Refusal)) throw error;
    signIn(error.status === 401 ? wrong : error.status ? error.key : "web.unreachable");
  }
}

async function boot() {
  const arrived = api.arrive();
  await load(navigator.language.startsWith("zh") ? "zh" : "en");
  api.onToken(() => location.reload());
  addEventListener("hashchange", () => {
    if (api.arrive()) location.reload();
  });
  const given = () => {
    const text = $("address").value.trim();
    const found = /#t=([A-Za-z0-9_-]+)/.exec(text)?.[1] ?? text;
    if (!/^[A-Za-z0-9_-]+$/.test(found)) return signIn("web.http.token");
    api.keep(found);
    enter("web.http.token");
  };
  $("enter").addEventListener("click", given);
  $("address").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing && event.keyCode !== 229) given();
  });
  if (arrived || api.token()) await enter("web.signin.why");
  else signIn("web.signin.why");
}

boot();
