// Which blocks begin with a line, and which go on with it.

import { el } from "/dom.js";
import { Code } from "/markdown/code.js";
import { plain } from "/markdown/entities.js";
import { Leaf, Table, WHOLE, columns } from "/markdown/leaf.js";

const DEEPEST = 32; // blocks in each other; what would be deeper is text
const FIRST = "#`~-*_=+>|:$\\0123456789"; // what a line that begins a block begins with
const RULE = /^(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$/;
const FENCE = /^(?:`{3,}(?!.*`)|~{3,})/;
const FENCE_END = /^(?:`{3,}|~{3,})(?=[ \t]*$)/;
const HEADING = /^#{1,6}(?=[ \t]|$)/;
const UNDERLINE = /^(?:=+|-+)[ \t]*$/;
const ITEM = /^(?:([*+-])|(\d{1,9})([.)]))(?=[ \t]|$)/;
const TASK = /^\[([ xX])\][ \t]+(?=\S)/;
const FORMULA = { "$$": "$$", "\\[": "\\]" };

/** Begin a block, in the blocks up to `depth`. "leaf": the line is over with it; "container": more
    may begin in it; "": none begins here. */
export function begin(stack, cursor, depth) {
  if (cursor.blank) return "";
  if (cursor.indent >= 4) return indented(stack, cursor, depth);
  if (!FIRST.includes(cursor.char)) return "";
  const rest = cursor.line.slice(cursor.next);
  for (const start of STARTS) {
    const begun = start(stack, cursor, depth, rest);
    if (begun) return begun;
  }
  return "";
}

/** Begin a paragraph on top. */
export function paragraph(stack, text) {
  const { kind, filled } = stack.top;
  const task = kind === "item" && !filled ? TASK.exec(text) : null;
  const sign = task?.[1] === " " ? "☐" : "☑";
  const lead = task && { tag: "span", props: { class: "task" }, kids: [sign] };
  if (task) text = ` ${text.slice(task[0].length)}`;
  stack.open("paragraph", new Leaf("p"), { text, lead });
}

function indented(stack, cursor, depth) {
  // Not in the midst of a paragraph.
  if (stack.top.kind === "paragraph") return "";
  stack.close(depth);
  cursor.advance(4);
  stack.open("indented", new Code("", "indented"));
  stack.top.view.add(cursor.rest + cursor.carriage, stack.firm);
  return "leaf";
}

function quote(stack, cursor, depth, rest) {
  if (rest[0] !== ">" || depth >= DEEPEST) return "";
  cursor.skip();
  cursor.advance(1);
  cursor.space();
  stack.close(depth);
  stack.open("quote", box("quote", "blockquote"));
  return "container";
}

function heading(stack, cursor, depth, rest) {
  const found = HEADING.exec(rest);
  if (!found) return "";
  stack.close(depth);
  let text = rest.slice(found[0].length).trim();
  let end = text.length;
  while (text[end - 1] === "#") end--;
  if (end === 0 || " \t".includes(text[end - 1])) text = text.slice(0, end).trim();
  stack.open("heading", new Leaf(`h${found[0].length}`));
  stack.render(stack.pop().view, text);
  return "leaf";
}

function fence(stack, cursor, depth, rest) {
  const found = FENCE.exec(rest);
  if (!found) return "";
  stack.close(depth);
  const info = plain(rest.slice(found[0].length).trim());
  stack.open("fence", new Code(info, "fence"), { mark: found[0], indent: cursor.indent });
  return "leaf";
}

function underlined(stack, cursor, depth, rest) {
  const container = stack.at(depth - 1);
  if (container.kind !== "paragraph" || !UNDERLINE.test(rest)) return "";
  stack.define(container);
  if (!container.text) return "";
  const { view, text, lead } = stack.pop();
  const leaf = new Leaf(rest[0] === "=" ? "h1" : "h2");
  view.node.replaceWith(leaf.node);
  stack.render(leaf, text, lead);
  return "leaf";
}

function table(stack, cursor, depth, rest) {
  const container = stack.at(depth - 1);
  if (container.kind !== "paragraph" || container.lead || container.text.length > WHOLE) return "";
  // The last line so far is the head; what is before it stays a paragraph.
  const at = container.text.lastIndexOf("\n") + 1;
  const head = container.text.slice(at);
  const aligns = columns(rest, head);
  if (!aligns) return "";
  container.text = container.text.slice(0, Math.max(0, at - 1));
  stack.open("table", new Table(aligns));
  stack.row(head, true);
  return "leaf";
}

function rule(stack, cursor, depth, rest) {
  if (!RULE.test(rest)) return "";
  stack.close(depth);
  stack.open("rule", box("rule", "hr"));
  stack.pop();
  return "leaf";
}

function item(stack, cursor, depth, rest) {
  const found = ITEM.exec(rest);
  if (!found || depth >= DEEPEST) return "";
  const width = found[0].length;
  const container = stack.at(depth - 1);
  if (container.kind === "paragraph") {
    // In the midst of a text a number is a number.
    if (!rest.slice(width).trim() || (found[2] && Number(found[2]) !== 1)) return "";
  }
  const indent = cursor.indent;
  const padding = marker(cursor, width);
  stack.close(depth);
  const sign = found[1] ?? found[3];
  if (container.kind !== "list" || container.sign !== sign) {
    if (container.kind === "list") stack.close(depth - 1);
    stack.open("list", list(found[2]), { sign });
  }
  stack.open("item", box("item", "li"), { width: indent + width + padding });
  return "container";
}

/** Go behind the marker of an item; returns how many spaces belong to it. */
function marker(cursor, width) {
  cursor.skip();
  cursor.advance(width);
  if (cursor.blank || cursor.indent > 4) {
    cursor.space();
    return 1;
  }
  const spaces = Math.max(1, cursor.indent);
  cursor.advance(spaces);
  return spaces;
}

function formula(stack, cursor, depth, rest) {
  const mark = FORMULA[rest.trimEnd()];
  if (!mark) return "";
  stack.close(depth);
  stack.open("formula", new Code("", "formula"), { mark });
  stack.top.view.add(rest.trimEnd(), stack.firm);
  return "leaf";
}

const STARTS = [quote, heading, fence, underlined, table, rule, item, formula];

/** Whether a block goes on with this line, or is closed by it; takes off what is before its
    content. */
export const GOES_ON = {
  quote(block, cursor) {
    if (cursor.indent > 3 || cursor.char !== ">") return false;
    cursor.skip();
    cursor.advance(1);
    cursor.space();
    return true;
  },
  list: () => true,
  item(block, cursor) {
    if (cursor.blank) {
      if (block.filled) cursor.skip();
      return block.filled;
    }
    if (cursor.indent < block.width) return false;
    cursor.advance(block.width);
    return true;
  },
  fence(block, cursor) {
    const end = cursor.indent < 4 && FENCE_END.exec(cursor.line.slice(cursor.next));
    if (end && end[0].startsWith(block.mark)) return "closed";
    cursor.advance(Math.min(block.indent, cursor.indent));
    return true;
  },
  indented(block, cursor) {
    if (cursor.indent >= 4) cursor.advance(4);
    else if (cursor.blank) cursor.skip();
    else return false;
    return true;
  },
  formula(block, cursor) {
    if (cursor.blank) return false;
    if (cursor.line.slice(cursor.next).trimEnd() !== block.mark) return true;
    block.view.add(block.mark, true);
    return "closed";
  },
  paragraph: (block, cursor) => !cursor.blank,
  table: (block, cursor) => !cursor.blank,
};

const box = (key, tag) => ({ key, node: el(tag) });

function list(number) {
  const start = number === undefined || Number(number) === 1 ? null : String(Number(number));
  const node = el(number === undefined ? "ul" : "ol", { class: "tight", start });
  return { key: `list ${number ?? ""}`, node };
}
