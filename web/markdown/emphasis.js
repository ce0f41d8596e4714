// Emphasis: which runs of *, _ and ~~ belong together.

const SPACE = /\s/;
const PUNCTUATION = /[\p{P}\p{S}]/u;
const CJK = new RegExp("[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}" +
  "\\p{sc=Bopomofo}\\u3000-\\u303f\\uff01-\\uffee]", "u");
const HIGHEST = 20; // elements in each other; what would be higher stays text

/** Whether the run from `from` to `end` can open and close emphasis. Next to Chinese, Japanese and
    Korean, where no space parts words, punctuation inside does not keep a run from closing. */
export function flanks(text, from, end) {
  const before = kind(from ? char(text, from - 1, true) : "\n");
  const after = kind(end < text.length ? char(text, end, false) : "\n");
  const left = !after.space && (!after.mark || before.space || before.mark || before.cjk);
  const right = !before.space && (!before.mark || after.space || after.mark || after.cjk);
  if (text[from] !== "_") return { opens: left, closes: right };
  return { opens: left && (!right || before.mark || before.wide),
    closes: right && (!left || after.mark || after.wide) };
}

function kind(char) {
  const cjk = CJK.test(char);
  const mark = PUNCTUATION.test(char);
  return { space: SPACE.test(char), cjk, mark: mark && !cjk, wide: mark && cjk };
}

function char(text, at, backwards) {
  const unit = text.charCodeAt(at);
  if (backwards && unit >= 0xdc00 && unit < 0xe000 && at > 0) at--;
  return String.fromCodePoint(text.codePointAt(at));
}

/** Join the runs above `bottom` of `state`, the stack of them; they are gone afterwards. */
export function emphasise(state, bottom) {
  const bottoms = new Map();
  let closer = bottom ? bottom.next : first(state.last);
  while (closer) {
    if (!closer.closes) {
      closer = closer.next;
      continue;
    }
    const key = `${closer.char}${closer.opens}${closer.whole % 3}`;
    const limit = bottoms.has(key) ? bottoms.get(key) : bottom;
    const opener = partner(closer, limit, bottom);
    if (opener && wrap(opener, closer)) {
      opener.next = closer;
      closer.prev = opener;
      if (!opener.count) drop(state, opener);
      if (closer.count) continue;
      const next = closer.next;
      drop(state, closer);
      closer = next;
    } else {
      const next = closer.next;
      bottoms.set(key, closer.prev);
      if (!closer.opens) drop(state, closer);
      closer = next;
    }
  }
  state.last = bottom;
  if (bottom) bottom.next = null;
}

function first(run) {
  while (run?.prev) run = run.prev;
  return run;
}

function partner(closer, limit, bottom) {
  for (let run = closer.prev; run && run !== bottom && run !== limit; run = run.prev) {
    if (run.char !== closer.char || !run.opens) continue;
    const both = closer.opens || run.closes;
    const odd = both && closer.whole % 3 && (run.whole + closer.whole) % 3 === 0;
    if (!odd || run.char === "~") return run;
  }
  return null;
}

function drop(state, run) {
  if (run.prev) run.prev.next = run.next;
  if (run.next) run.next.prev = run.prev;
  else state.last = run.prev;
}

/** Put what stands between two runs into an element, and take its marks off them; false where it
    would be too high. */
function wrap(opener, closer) {
  const used = opener.count >= 2 && closer.count >= 2 ? 2 : 1;
  const inner = opener.item.next;
  let height = 0;
  for (let item = inner; item !== closer.item; item = item.next) {
    height = Math.max(height, item.height);
  }
  if (height >= HIGHEST) return false;
  for (const run of [opener, closer]) {
    run.count -= used;
    run.item.text = run.item.text.slice(used);
  }
  const tag = opener.char === "~" ? "s" : used === 2 ? "strong" : "em";
  const item = { text: "", tag, props: {}, first: inner, last: closer.item.prev, prev: opener.item,
    next: closer.item, height: height + 1 };
  item.first.prev = null;
  item.last.next = null;
  opener.item.next = item;
  closer.item.prev = item;
  return true;
}
