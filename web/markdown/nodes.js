// From trees to nodes. A tree is a list of texts and of {tag, props, kids}; what is the same in two
// trees keeps its nodes, so that a selection in them stays.

import { el } from "/dom.js";

/** Make the children of `parent`, from number `from` on, those of `tree`; they are `old` now. */
export function patch(parent, from, old, tree) {
  if (parent.childNodes.length !== from + old.length) {
    // Somebody else was here: a translator, an extension.
    while (parent.childNodes.length > from) parent.lastChild.remove();
    old = [];
  }
  let node = parent.childNodes[from] ?? null;
  tree.forEach((want, at) => {
    const next = node?.nextSibling ?? null;
    const had = old[at];
    if (had === undefined) parent.append(build(want));
    else if (typeof had === "string" && typeof want === "string") write(node, had, want);
    else if (same(had, want)) patch(node, 0, had.kids, want.kids);
    else node.replaceWith(build(want));
    node = next;
  });
  for (let extra = old.length - tree.length; extra > 0; extra--) parent.lastChild.remove();
}

function write(node, had, want) {
  if (want === had) return;
  if (want.startsWith(had)) node.appendData(want.slice(had.length));
  else node.data = want;
}

function same(had, want) {
  if (had.tag !== want.tag) return false;
  const names = Object.keys(want.props);
  return names.length === Object.keys(had.props).length
    && names.every((name) => had.props[name] === want.props[name]);
}

function build(item) {
  return typeof item === "string" ? document.createTextNode(item)
    : el(item.tag, item.props, ...item.kids.map(build));
}
