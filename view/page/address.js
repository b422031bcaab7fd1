/* SPDX-License-Identifier: MIT */
/* Deep links: the part of the address after # names the view.
 *
 *   #tab=flame&view=1.2-1.5&select=1.25-1.26&thread=3&at=stack.2&of=3
 *
 *   view      the visible window, in seconds since the recording's start, like
 *             --since and --until of the commands; missing: all
 *   select    the selected interval, of the thread with this number if there is
 *             one, and the slice at its start: the row's kind, and the depth
 *   of        the panel's thread
 *   function  that of the panel "Function"
 *   rows      filter, pin, sort: the rows that are shown
 *
 * A choice (tab, link, selection, search) is a step for the browser's "back";
 * zooming and moving change the current step only.
 */

const ADDRESS_DELAY_MS = 250;

/* Writes ns as seconds, exactly. */
function secondsText(ns) {
  const digits = String(Math.max(0, Math.round(ns))).padStart(10, "0");
  const fraction = digits.slice(-9).replace(/0+$/, "");
  return `${digits.slice(0, -9)}${fraction ? `.${fraction}` : ""}`;
}

/* Returns the two times of "1.5-2.25" in ns, or null. */
function intervalOf(text) {
  const found = /^(\d+)(?:\.(\d{1,9}))?-(\d+)(?:\.(\d{1,9}))?$/.exec(text ?? "");
  if (!found)
    return null;
  const ns = (seconds, fraction) => Number(seconds) * 1e9 + Number((fraction ?? "").padEnd(9, "0"));
  const [from, to] = [ns(found[1], found[2]), ns(found[3], found[4])];
  return from <= to ? { from, to } : null;
}

function intervalText({ from, to }) {
  return `${secondsText(from)}-${secondsText(to)}`;
}

class Address {
  constructor(page) {
    this.page = page;
    this.isApplying = false;
    this.timer = 0;	/* of a delayed change of the current step */
    this.step = 0;	/* of a new step */
    this.written = "";	/* the address */
    addEventListener("popstate", () => this.apply());
  }
  /* Returns the address of the current view. */
  text() {
    const { timeline, panel } = this.page;
    const { selection, view } = timeline;
    /** @type {Record<string, string>} */
    const parts = {};
    if (panel.tab !== "overview")
      parts.tab = panel.tab;
    if (view.from > timeline.begin || view.to < timeline.end)
      parts.view = intervalText(view);
    if (selection) {
      parts.select = intervalText(selection);
      if (selection.thread !== undefined)
        parts.thread = selection.thread;
      if (selection.slice)
        parts.at = `${selection.kind}.${selection.row}.${selection.slice[SLICE.depth]}`;
    }
    if (panel.scope.value !== "")
      parts.of = panel.scope.value;
    if (panel.function !== null)
      parts.function = panel.function;
    if (panel.isInverted)
      parts.inverted = "1";
    Object.assign(parts, timeline.choice.parts());
    const text = new URLSearchParams(parts).toString();
    return text ? `#${text}` : location.pathname;
  }
  /* Must be called before a choice changes the view: moves until then belong to the
   * previous step.
   */
  begin() {
    if (this.timer && !this.step)
      this.write(false);
  }
  /* Notes a change; @isStep: "back" returns to the view before it. All changes of
   * one event are one step.
   */
  changed(isStep) {
    if (this.isApplying || !this.page.timeline?.recording)
      return;
    clearTimeout(this.timer);
    this.timer = 0;
    if (isStep)
      this.step ||= setTimeout(() => this.write(true));
    else if (!this.step)
      this.timer = setTimeout(() => this.write(false), ADDRESS_DELAY_MS);
  }
  write(isStep) {
    const text = this.text();
    clearTimeout(this.timer);
    clearTimeout(this.step);
    this.timer = this.step = 0;
    if (text === this.written)
      return;
    this.written = text;
    if (isStep)
      history.pushState(null, "", text);
    else
      history.replaceState(null, "", text);
  }
  /* Shows the view that the address names; ignores its invalid parts. */
  async apply() {
    const parts = new URLSearchParams(location.hash.slice(1));
    const { timeline, panel } = this.page;
    this.isApplying = true;
    clearTimeout(this.timer);
    clearTimeout(this.step);
    this.timer = this.step = 0;
    try {
      timeline.choice.take(parts);
      timeline.layOut();
      const view = intervalOf(parts.get("view")) ?? { from: timeline.begin, to: timeline.end };
      timeline.show(view.from, view.to);
      timeline.selection = await this.selectionOf(parts);
      panel.restore({ tab: parts.get("tab"), of: parts.get("of"),
        function: parts.get("function"), isInverted: parts.has("inverted") });
      timeline.redraw();
    } finally {
      this.isApplying = false;
      this.written = this.text();
    }
  }
  async selectionOf(parts) {
    const { timeline, source } = this.page;
    const selection = intervalOf(parts.get("select"));
    if (!selection)
      return null;
    const thread = Number(parts.get("thread") ?? NaN);
    if (timeline.recording.threads[thread])
      selection.thread = thread;
    const [kind, row, depth] = (parts.get("at") ?? "").split(".");
    if (!["cpu", "state", "stack", "fiber"].includes(kind) || !(Number(row) >= 0))
      return selection;
    const track = Number(row) * TRACK.kinds + TRACK[kind];
    const { tracks } = await source.tracks(Math.max(0, selection.from - 1),
      selection.from + 2000, 2001, [track]);
    const slice = sliceFrom(tracks[0]?.slices ?? [], selection.from, Number(depth));
    if (!slice)
      return selection;
    if (kind === "stack" && selection.thread !== undefined)
      timeline.choice.open.add(selection.thread);
    timeline.layOut();
    return { ...selection, slice, kind, row: Number(row) };
  }
}
