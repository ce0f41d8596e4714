// Server-sent events from text: only what our own server sends, no I/O.

/** Feed it text in any cut; it returns the complete frames: {id, event, data}. */
export class Frames {
  #rest = "";

  feed(text) {
    const parts = (this.#rest + text).split("\n\n");
    this.#rest = parts.pop();
    return parts.map(frame).filter((found) => found.event);
  }
}

function frame(text) {
  const found = { id: "", event: "", data: "" };
  for (const line of text.split("\n")) {
    const at = line.indexOf(": ");
    if (at > 0) found[line.slice(0, at)] = line.slice(at + 2);
  }
  return found;
}
