/* SPDX-License-Identifier: MIT */
/* The search for a function, and navigation from call to call. */

/* A combobox: arrow keys choose from the list, which is sorted by time. */
class Search {
  constructor(source, timeline, panel) {
    this.source = source;
    this.timeline = timeline;
    this.panel = panel;
    this.field = byId("like");
    this.list = byId("names");
    this.found = byId("found");
    this.suggested = [];	/* functions and times */
    this.chosen = -1;
    this.wanted = null;
    this.at = null;
    this.field.addEventListener("input", () => {
      this.chosen = -1;
      this.suggest();
    });
    this.field.addEventListener("blur", () => this.close());
    /* A click in the list must not take the focus, which would close it. */
    this.list.addEventListener("pointerdown", (event) => event.preventDefault());
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.take();
    });
    byId("forth").addEventListener("click", () => this.go(false));
    byId("back").addEventListener("click", () => this.go(true));
    this.field.addEventListener("keydown", (event) => this.fieldKey(event));
    document.addEventListener("keydown", (event) => this.key(event));
  }
  fieldKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      this.choose(this.chosen + step);
    } else if (event.key === "Enter") {
      event.preventDefault();
      this.take();
    } else if (event.key === "Escape") {
      event.preventDefault();
      this.field.blur();
    }
  }
  key(event) {
    if (!isShortcut(event))
      return;
    if (event.key === "/") {
      event.preventDefault();
      this.field.focus();
      this.field.select();
    } else if (event.key.toLowerCase() === "n") {
      this.go(event.shiftKey);
    }
  }
  close() {
    this.list.hidden = true;
    this.field.setAttribute("aria-expanded", "false");
    this.field.removeAttribute("aria-activedescendant");
  }
  /* Chooses a line of the list; before the first and after the last is none. */
  choose(at) {
    const lines = [...this.list.querySelectorAll("li[role=option]")];
    this.chosen = at < -1 ? lines.length - 1 : at >= lines.length ? -1 : at;
    lines.forEach((line, i) => {
      line.classList.toggle("chosen", i === this.chosen);
      line.setAttribute("aria-selected", String(i === this.chosen));
    });
    const line = lines[this.chosen];
    line?.scrollIntoView({ block: "nearest" });
    if (line)
      this.field.setAttribute("aria-activedescendant", line.id);
    else
      this.field.removeAttribute("aria-activedescendant");
  }
  async suggest() {
    const like = this.field.value.trim();
    const answer = like ? await this.source.functions(like) : { found: [], count: 0 };
    if (like !== this.field.value.trim())
      return;
    this.suggested = answer.found;
    const hidden = answer.count - answer.found.length;
    this.list.replaceChildren(...answer.found.map(([number, ns], i) => this.line(number, ns, i)),
      ...(like && !answer.found.length ? [this.note(this.noneText())] : []),
      ...(hidden > 0 ? [this.note(`${plural(hidden, "more function")}: type more of the name`)] : []));
    this.list.hidden = !like || document.activeElement !== this.field;
    this.field.setAttribute("aria-expanded", String(!this.list.hidden));
    this.choose(-1);
  }
  noneText() {
    return this.panel.recording.missing.functions ?? "No function of this name ran.";
  }
  note(text) {
    return element("li", { className: "dim", textContent: text });
  }
  line(number, ns, i) {
    const { names } = this.source;
    const item = element("li", { id: `name-${i}`, title: names.whole(number) },
      element("span", { className: "number", textContent: duration(ns) }), names.full(number));
    item.setAttribute("role", "option");
    item.addEventListener("click", () => this.look(number));
    return item;
  }
  async take() {
    const { chosen } = this;
    if (chosen < 0)
      await this.suggest();
    const [number] = this.suggested[Math.max(0, chosen)] ?? [];
    this.close();
    if (number !== undefined)
      this.look(number);
    else
      this.found.textContent = this.noneText();
  }
  look(number) {
    this.wanted = number;
    this.at = null;
    this.close();
    this.field.value = this.source.names.name(number);
    this.field.blur();
    this.panel.lookedFor(number);
    this.go(false);
  }
  /* Goes to the next call after the last one, or after the window's start. */
  async go(back) {
    if (this.wanted === null)
      return;
    const { view } = this.timeline;
    const from = Math.max(0, Math.floor(this.at ?? view.from));
    this.found.textContent = "…";
    try {
      const answer = await this.source.next({ function: this.wanted, from,
        back: back ? 1 : 0 });
      this.found.textContent = answer.found ? moment(answer.at, 1e3) :
        answer.is_waiting ? "after the first decode" : `no call ${back ? "before" : "after"}`;
      if (answer.found)
        this.reach(answer);
    } catch (error) {
      this.found.textContent = error.message;
    }
  }
  async reach({ at, thread, depth }) {
    this.at = at;
    const track = thread * TRACK.kinds + TRACK.stack;
    const { tracks } = await this.source.tracks(Math.max(0, at - 1), at + 2000, 2001, [track]);
    const slice = sliceFrom(tracks[0].slices, at, depth);
    const to = at + (slice ? slice[SLICE.length] : 1000);
    this.timeline.goTo(at - (to - at) * 2, to + (to - at) * 2, thread);
    this.timeline.select({ from: at, to, thread, slice, kind: "stack", row: thread });
  }
}

function sliceFrom(slices, at, depth) {
  for (let i = 0; i < slices.length; i += SLICE.numbers)
    if (slices[i] === at && slices[i + SLICE.depth] === depth)
      return slices.slice(i, i + SLICE.numbers);
  return null;
}
