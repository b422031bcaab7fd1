/* SPDX-License-Identifier: MIT */
/* The search for a function, and navigation from call to call. */

class Search {
  constructor(source, timeline) {
    this.source = source;
    this.timeline = timeline;
    this.field = document.getElementById("like");
    this.list = document.getElementById("names");
    this.found = document.getElementById("found");
    this.wanted = null;
    this.at = null;
    this.field.addEventListener("input", () => this.suggest());
    this.field.addEventListener("blur", () =>
      setTimeout(() => this.list.hidden = true, 200));
    document.getElementById("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.take();
    });
    document.getElementById("forth").addEventListener("click", () => this.go(false));
    document.getElementById("back").addEventListener("click", () => this.go(true));
    document.addEventListener("keydown", (event) => this.key(event));
  }
  key(event) {
    if (event.target === this.field) {
      if (event.key === "Escape")
        this.field.blur();
      if (event.key === "Enter")
        this.take();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.target.matches("input, select"))
      return;
    if (event.key === "/") {
      event.preventDefault();
      this.field.focus();
      this.field.select();
    } else if (event.key.toLowerCase() === "n") {
      this.go(event.shiftKey);
    }
  }
  async suggest() {
    const like = this.field.value.trim();
    this.suggested = like ? (await this.source.functions(like)).found : [];
    if (like !== this.field.value.trim())
      return;
    this.list.replaceChildren(...this.suggested.map((number) => {
      const item = element("li", { textContent: this.source.names.full(number) });
      item.addEventListener("click", () => this.look(number));
      return item;
    }));
    this.list.hidden = !this.suggested.length;
  }
  async take() {
    await this.suggest();
    this.list.hidden = true;
    if (this.suggested.length)
      this.look(this.suggested[0]);
    else
      this.found.textContent = "no such function ran";
  }
  look(number) {
    this.wanted = number;
    this.at = null;
    this.list.hidden = true;
    this.field.value = this.source.names.name(number);
    this.field.blur();
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
    const lane = thread * LANE.kinds + LANE.stack;
    const { lanes } = await this.source.lanes(Math.max(0, at - 1), at + 2000, 2001, [lane]);
    const slice = sliceFrom(lanes[0].slices, at, depth);
    const to = at + (slice ? slice[SLICE.length] : 1000);
    this.timeline.goTo(at - (to - at) * 2, to + (to - at) * 2, thread);
    this.timeline.select({ from: at, to, thread, slice, kind: "stack" });
  }
}

function sliceFrom(slices, at, depth) {
  for (let i = 0; i < slices.length; i += SLICE.numbers)
    if (slices[i] === at && slices[i + SLICE.depth] === depth)
      return slices.slice(i, i + SLICE.numbers);
  return null;
}
