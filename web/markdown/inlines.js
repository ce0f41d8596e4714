// Inline markup of one block: text in, a tree out (see nodes.js); no nodes are made here.
//
// The algorithm is that of CommonMark 0.31 with a stack of delimiters and one of brackets; its time
// grows with the text. Beyond it: strikethrough, addresses as they stand, mathematics left alone,
// and emphasis that closes next to Chinese. HTML is text.

import { visible } from "/dom.js";
import { emphasise, flanks } from "/markdown/emphasis.js";
import { entity } from "/markdown/entities.js";
import { autolink, bare, folded, inline, label, match, target } from "/markdown/links.js";

const TEXT = /(?:[^\n`\\[\]!<&*_~$h]|h(?!ttps?:\/\/))+/y;
const ESCAPABLE = /[!-/:-@[-`{-~]/;
const TICKS = /`+/y;
const RUN = /`+/g;
const FORMULA = /\$(?![\s$])([^$\n]{1,500})\$(?!\d)/y;
const MATH = /[\\^]|(?:^|[^A-Za-z])[A-Za-z]_/;
const HAN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const FORMULA_LIMIT = 2000;

/** The tree of a text. `defined`: addresses by label; labels that are not there go to `wanted`. */
export function parse(text, defined, wanted) {
  return new Inlines(text, defined, wanted).tree();
}

class Inlines {
  #text;
  #defined;
  #wanted;
  #at = 0;
  #root = { first: null, last: null };
  #state = { last: null }; // of the delimiters
  #brackets = null;
  #runs = null;

  constructor(text, defined, wanted) {
    this.#text = text;
    this.#defined = defined;
    this.#wanted = wanted;
  }

  tree() {
    while (this.#at < this.#text.length) {
      const plain = match(TEXT, this.#text, this.#at);
      if (plain) {
        this.#add(plain[0]);
        this.#at += plain[0].length;
      } else {
        this.#special(this.#text[this.#at]);
      }
    }
    emphasise(this.#state, null);
    return finished(this.#root.first);
  }

  #special(char) {
    if (char === "\n") this.#newline();
    else if (char === "`") this.#code();
    else if (char === "\\") this.#escape();
    else if (char === "[") this.#open("[");
    else if (char === "]") this.#close();
    else if (char === "!") this.#open(this.#text[this.#at + 1] === "[" ? "![" : "!");
    else if (char === "<") this.#angle();
    else if (char === "&") this.#entity();
    else if (char === "$") this.#dollar();
    else if (char === "h") this.#address();
    else this.#delimiters(char);
  }

  #add(text, more) {
    const item = { text, tag: "", props: null, first: null, last: null, prev: this.#root.last,
      next: null, height: 0, ...more };
    if (this.#root.last) this.#root.last.next = item;
    else this.#root.first = item;
    this.#root.last = item;
    return item;
  }

  /** Add an element that holds nothing but text, and go on at `end`. */
  #leaf(tag, props, text, end) {
    const kid = { text, tag: "", prev: null, next: null };
    this.#add("", { tag, props, first: kid, last: kid, height: 1 });
    this.#at = end;
  }

  #literal(length) {
    this.#at += length;
    return this.#add(this.#text.slice(this.#at - length, this.#at));
  }

  #newline() {
    const before = this.#root.last;
    const hard = before && !before.tag && before.text.endsWith("  ");
    if (before && !before.tag) before.text = before.text.replace(/(?<! ) +$/, "");
    this.#at++;
    if (hard) this.#add("", { tag: "br", props: {} });
    else this.#add("\n");
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }

  #escape() {
    const next = this.#text[this.#at + 1];
    if (next === "(" && this.#formula("\\)", this.#at + 2)) return;
    if (next === "[" && this.#formula("\\]", this.#at + 2)) return;
    if (next === "\n") {
      this.#at += 2;
      this.#add("", { tag: "br", props: {} });
      while (this.#text[this.#at] === " ") this.#at++;
    } else if (next && ESCAPABLE.test(next)) {
      this.#at += 2;
      this.#add(next);
    } else {
      this.#literal(1);
    }
  }

  #dollar() {
    if (this.#text[this.#at + 1] === "$") {
      if (!this.#formula("$$", this.#at + 2)) this.#literal(2);
      return;
    }
    const found = match(FORMULA, this.#text, this.#at);
    if (found && !/\s$/.test(found[1]) && MATH.test(found[1])) {
      this.#leaf("span", { class: "math" }, found[0], this.#at + found[0].length);
    } else {
      this.#literal(1);
    }
  }

  /** Mathematics from here to `end` is left as it is written. */
  #formula(end, from) {
    const found = this.#text.slice(from, from + FORMULA_LIMIT).indexOf(end);
    if (found < 0 || !/[A-Za-z0-9]/.test(this.#text.slice(from, from + found))) return false;
    const stop = from + found + end.length;
    this.#leaf("span", { class: "math" }, this.#text.slice(this.#at, stop), stop);
    return true;
  }

  #code() {
    const ticks = match(TICKS, this.#text, this.#at)[0].length;
    const end = this.#closing(ticks, this.#at + ticks);
    if (end < 0) {
      this.#literal(ticks);
      return;
    }
    let code = this.#text.slice(this.#at + ticks, end).replaceAll("\n", " ");
    if (code.startsWith(" ") && code.endsWith(" ") && /[^ ]/.test(code)) code = code.slice(1, -1);
    this.#leaf("code", {}, code, end + ticks);
  }

  /** Where the next run of so many backticks begins, or -1; each run is looked at once. */
  #closing(ticks, from) {
    if (!this.#runs) {
      this.#runs = new Map();
      for (const found of this.#text.matchAll(RUN)) {
        const length = found[0].length;
        if (!this.#runs.has(length)) this.#runs.set(length, { places: [], next: 0 });
        this.#runs.get(length).places.push(found.index);
      }
    }
    const runs = this.#runs.get(ticks);
    while (runs && runs.places[runs.next] < from) runs.next++;
    return runs?.places[runs.next] ?? -1;
  }

  #entity() {
    const found = entity(this.#text, this.#at);
    if (!found) {
      this.#literal(1);
      return;
    }
    this.#at += found[0];
    this.#add(found[1]);
  }

  #angle() {
    const found = autolink(this.#text, this.#at);
    const to = found && target(found[1]);
    if (to?.href) this.#leaf("a", anchor(to, found[0]), found[0], found[2]);
    else this.#literal(1);
  }

  #address() {
    const found = bare(this.#text, this.#at);
    if (found) this.#leaf("a", anchor(target(found[0]), found[0]), found[0], found[1]);
    else this.#literal(1);
  }

  #delimiters(char) {
    let end = this.#at;
    while (this.#text[end] === char) end++;
    const { opens, closes } = flanks(this.#text, this.#at, end);
    const count = end - this.#at;
    const item = this.#literal(count);
    if ((!opens && !closes) || (char === "~" && count !== 2)) return;
    const before = this.#state.last;
    this.#state.last = { char, count, whole: count, item, opens, closes, prev: before, next: null };
    if (before) before.next = this.#state.last;
  }

  #open(mark) {
    const item = this.#literal(mark.length);
    if (mark === "!") return;
    if (this.#brackets) this.#brackets.followed = true;
    this.#brackets = { item, image: mark === "![", active: true, followed: false, at: this.#at,
      delimiters: this.#state.last, prev: this.#brackets };
  }

  #close() {
    const start = this.#at;
    const item = this.#literal(1);
    const opener = this.#brackets;
    if (!opener) return;
    const found = opener.active || opener.image ? this.#destination(opener, start) : null;
    const to = found && target(found[0]);
    this.#brackets = opener.prev;
    if (!to) return;
    this.#at = found[1];
    this.#link(opener, item, to, found[0]);
    if (opener.image) return;
    for (let other = this.#brackets; other && other.active; other = other.prev) {
      // No link in a link. An image before it is none in one.
      if (!other.image) other.active = false;
    }
  }

  /** [address, where it ends] of the link whose text ends at `start`, or null. */
  #destination(opener, start) {
    if (this.#text[this.#at] === "(") {
      const found = inline(this.#text, this.#at);
      if (found) return found;
    }
    const second = label(this.#text, this.#at);
    const own = this.#text.slice(opener.at, start);
    const name = second && second[0] ? second[0] : opener.followed ? "" : own;
    if (!name || name.length > 999 || !name.trim()) return null;
    const address = this.#defined.get(folded(name));
    if (address === undefined) this.#wanted.add(folded(name));
    return address === undefined ? null : [address, second ? second[1] : this.#at];
  }

  /** Put what stands between an opener and its closing bracket into a link. */
  #link(opener, closer, to, address) {
    emphasise(this.#state, opener.delimiters);
    const { item } = opener;
    const first = item.next === closer ? null : item.next;
    const kids = first ? finished(first, closer, true) : [];
    const words = flat(kids);
    const shown = opener.image ? [words || address] : kids;
    const place = { "data-to": visible(address), title: visible(address) };
    const props = to.href ? anchor(to, null) : place;
    if (opener.image) props.class = place.class = "image";
    // The opener becomes the link, and everything behind it is in it.
    Object.assign(item, { text: "", tag: to.href ? "a" : "span", props, first: null, last: null,
      kids: shown, height: 1, next: null,
      image: opener.image ? place : null });
    this.#root.last = item;
  }
}

/** The properties of a link; its host is shown where `words` do not begin with it. */
function anchor({ href, host, plain }, words) {
  const origin = href.slice(0, href.indexOf(host) + host.length);
  const said = words !== null && plain && (href.startsWith("mailto:") || words.startsWith(origin));
  return { href, rel: "noopener noreferrer", target: "_blank", title: visible(href),
    "data-host": said ? null : visible(host) };
}

/** The tree of a list of items, up to `end`; in a link there is no other one. */
function finished(first, end = null, within = false) {
  const tree = [];
  let text = "";
  for (let item = first; item && item !== end; item = item.next) {
    const kids = item.kids ?? (item.first ? finished(item.first, null, within) : []);
    if (!item.tag) {
      text += item.text;
    } else if (within && !item.image && (item.tag === "a" || item.props["data-to"])) {
      text += flat(kids);
    } else {
      if (text) tree.push(visible(text));
      text = "";
      tree.push(within && item.image ? { tag: "span", props: item.image, kids }
        : { tag: item.tag, props: styled(item, kids), kids });
    }
  }
  if (text) tree.push(visible(text));
  return tree;
}

/** Chinese, Japanese and Korean have no italics: the page marks their emphasis another way. */
const styled = (item, kids) =>
  item.tag === "em" && HAN.test(flat(kids)) ? { class: "han" } : item.props;

/** What a tree says. */
export function flat(tree) {
  return tree.map((item) => typeof item === "string" ? item : flat(item.kids)).join("");
}
