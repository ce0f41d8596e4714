// The reading position. It moves by itself only while the reader is at the end, and only what the
// reader does can change that: folds, new text and resizing never do.

/** Follows the end of `scroller`. `changed(following)` is told when that begins or ends. */
export class Follow {
  following = true;
  #scroller;
  #changed;
  #touched = 0;

  constructor(scroller, changed) {
    this.#scroller = scroller;
    this.#changed = changed;
    scroller.addEventListener("wheel", (event) => {
      if (event.isTrusted && event.deltaY < 0 && this.#movable()) this.#set(false);
      this.#touched = Date.now();
    }, { passive: true });
    scroller.addEventListener("touchmove", (event) => {
      if (event.isTrusted) this.#hold();
    }, { passive: true });
    scroller.addEventListener("pointerdown", (event) => {
      // On the scroller itself and beyond its content: the scrollbar.
      const beyond = event.target === scroller && event.offsetX >= scroller.clientWidth;
      if (event.isTrusted && beyond) this.#hold();
    });
    scroller.addEventListener("keydown", (event) => event.isTrusted && this.#key(event));
    scroller.addEventListener("scroll", () => {
      // A reader who came down to the end by hand follows again.
      if (!this.following && Date.now() - this.#touched < 1000 && this.#atEnd()) this.#set(true);
    }, { passive: true });
    new ResizeObserver(() => this.settle()).observe(scroller);
  }

  /** Follow from now on. */
  end() {
    this.#set(true);
    this.settle();
  }

  /** After a change of the content: go to the end, if following. */
  settle() {
    if (this.following) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  /** Change what is above the reader, or all of it, without moving what they see. */
  keep(change) {
    const before = this.#scroller.scrollHeight - this.#scroller.scrollTop;
    change();
    if (this.following) this.settle();
    else this.#scroller.scrollTop = this.#scroller.scrollHeight - before;
  }

  #key(event) {
    if (["PageUp", "ArrowUp", "Home"].includes(event.key) && this.#movable()) this.#set(false);
    if (event.key === "End") this.end();
    this.#touched = Date.now();
  }

  #hold() {
    this.#touched = Date.now();
    if (this.#movable()) this.#set(false);
  }

  #movable() {
    return this.#scroller.scrollHeight > this.#scroller.clientHeight + 1;
  }

  #atEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    return scrollHeight - scrollTop - clientHeight < 4;
  }

  #set(following) {
    if (this.following === following) return;
    this.following = following;
    this.#scroller.classList.toggle("held", !following);
    this.#changed(following);
  }
}
