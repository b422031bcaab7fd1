/* SPDX-License-Identifier: MIT */
/* The lower half: details of the selection, or of the visible window. */

class Panel {
  constructor(source, timeline, tip) {
    this.source = source;
    this.timeline = timeline;
    this.tip = tip;
    this.tab = "overview";
    this.asked = 0;
    this.content = document.getElementById("content");
    this.scope = document.getElementById("scope");
    this.tabs = { overview: ["Overview", () => this.showOverview()],
      details: ["Details", () => this.showDetails()],
      functions: ["Functions", () => this.showFunctions()],
      tree: ["Call tree", () => this.showTree()],
      flame: ["Flame graph", () => this.showFlame()],
      sleeps: ["Sleeps", () => this.showSleeps()] };
    this.buttons = new Map(Object.entries(this.tabs).map(([id, [title]]) => {
      const button = element("button", { textContent: title, id: `tab-${id}` });
      button.addEventListener("click", () => this.choose(id));
      return [id, button];
    }));
    document.getElementById("tabs").append(...this.buttons.values());
    this.chosen = "";	/* the scope that the user chose, not a selection's */
    this.scope.addEventListener("change", () => {
      this.chosen = this.scope.value;
      this.show();
    });
    this.parts = ["with_idle", "with_tracer"].map((id) => document.getElementById(id));
    for (const box of this.parts)
      box.addEventListener("change", () => this.show());
  }

  take(recording) {
    const chosen = this.scope.value;
    this.recording = recording;
    const options = recording.threads.map((thread, i) => ({ i, thread }))
      .filter(({ thread }) => thread.tid > 0)
      .map(({ i, thread }) => element("option", { value: i, textContent: threadLabel(thread) }));
    this.scope.replaceChildren(element("option", { value: "", textContent: "all threads" }),
      ...options);
    this.scope.value = chosen;
    if (this.tab === "overview")
      this.show();
  }
  choose(tab) {
    this.tab = tab;
    this.show();
  }
  /* Called when a selection is made in the timeline. */
  select(selection) {
    if (!selection)
      this.chosen = "";
    this.scope.value = this.recording.threads[selection?.thread]?.tid > 0 ?
      selection.thread : this.chosen;
    if (this.tab === "overview" && selection)
      this.tab = selection.slice ? "details" : "functions";
    this.show();
  }

  /* Returns the thread and window of the query. */
  range() {
    const { from, to } = this.timeline.selection ?? this.timeline.view;
    const wanted = { from: Math.max(0, Math.floor(from)), to: Math.ceil(to) };
    if (this.scope.value !== "")
      wanted.thread = Number(this.scope.value);
    return wanted;
  }
  async show() {
    const number = ++this.asked;
    for (const [id, button] of this.buttons)
      button.classList.toggle("chosen", id === this.tab);
    const isProfile = ["functions", "tree", "flame"].includes(this.tab);
    const isTimed = isProfile || this.tab === "sleeps";
    const { from, to } = this.range();
    document.getElementById("whose").hidden = !isTimed;
    document.getElementById("parts").hidden = !isProfile;
    document.getElementById("range").textContent = this.tab === "overview" ? "" :
      `${this.timeline.selection ? "selected" : "seen"}: ${moment(from, (to - from) / 100)}` +
      ` + ${duration(to - from)}`;
    /* The panel still shows the previous answer, which fades after a moment. */
    this.content.classList.add("waiting");
    let shown;
    try {
      shown = await this.tabs[this.tab][1]();
    } catch (error) {
      shown = element("p", { textContent: error.message });
    }
    /* A newer query may have been sent meanwhile. */
    if (number !== this.asked)
      return;
    this.content.classList.remove("waiting");
    this.content.replaceChildren(shown);
  }
  goTo(from, to, thread) {
    this.timeline.goTo(from, to, thread);
    this.timeline.selection = { from, to, thread };
  }

  showOverview() {
    return overview(this.recording, this.source.names,
      (from, to, thread) => this.goTo(from, to, thread));
  }
  showDetails() {
    const selection = this.timeline.selection;
    if (!selection?.slice)
      return element("p", { textContent: selection ?
        `${duration(selection.to - selection.from)} selected.` :
        "Click a call or a state in the timeline." });
    const facts = sliceFacts(selection, this.recording, this.source.names);
    return element("div", {}, element("table", {}, element("tbody", {},
      ...facts.map(([name, value]) => element("tr", {},
        element("td", { className: "text dim", textContent: name }),
        element("td", { className: "text", textContent: value }))))),
    selection.kind === "cpu" ? this.callsLink(selection) : null);
  }
  /* Links from a running thread to its calls on the CPU. */
  callsLink({ from, to, slice }) {
    return element("p", {}, momentLink("Show its calls in this time",
      () => this.goTo(from, to, slice[SLICE.name])));
  }
  /* Fetches the profile of the selection with the chosen parts. */
  profile() {
    const wanted = this.range();
    for (const box of this.parts)
      if (box.checked)
        wanted[box.id] = 1;
    return this.source.profile(wanted);
  }
  /* Returns a note on the parts left out of the profile, in the words of report
   * --flat.
   */
  leftOut({ part_ns }) {
    const all = part_ns.reduce((a, b) => a + b, 0);
    const [idle, tracer] = this.parts;
    const left = [["the idle loop", idle, part_ns[PART.idle]],
      ["the tracer’s own work", tracer, part_ns[PART.tracer]]]
      .filter(([, box, ns]) => !box.checked && ns)
      .map(([name, , ns]) => `${name}, ${duration(ns)}, ${percent(ns, all)}`);
    return left.length ? `Left out: ${left.join("; ")}.` : "";
  }
  profileNote(profile) {
    const wanted = this.range();
    const grown = profile.from < wanted.from || profile.to > wanted.to;
    const left = this.leftOut(profile);
    const whose = this.scope.value === "" ? "" :
      ` of ${threadLabel(this.recording.threads[this.scope.value])}`;
    const notes = [profile.self_ns ? `${duration(profile.self_ns)} on CPUs.` : "", left,
      profile.self_ns ? "" : this.recording.missing.functions || `Nothing${left ? " else" : ""}${whose} ran in this time.`,
      this.recording.lists.interrupts.count ? "Interrupt work counts for the thread that it interrupted: " +
        "report --flat charges it to the process that it was for." : "",
      grown ? `Summed from ${moment(profile.from, 1e3)} to ${moment(profile.to, 1e3)}.` : "",
      profile.left_out && this.tab !== "functions" ? `${count(profile.left_out)} nodes of the tree are too small to show.` : ""];
    return element("p", { className: "dim note", textContent: notes.filter(Boolean).join(" ") });
  }
  /* Shows the notes, and below them the result of @make unless the profile is
   * empty.
   */
  async showProfile(make) {
    const profile = await this.profile();
    return element("div", {}, this.profileNote(profile),
      profile.flat.length ? make(profile) : null);
  }
  showFunctions() {
    return this.showProfile((profile) => this.functionTable(profile));
  }
  functionTable(profile) {
    const rows = [];
    for (let i = 0; i < profile.flat.length; i += 4)
      rows.push({ function: profile.flat[i], calls: profile.flat[i + 1],
        self: profile.flat[i + 2], total: profile.flat[i + 3] });
    const all = profile.self_ns;
    return table([
      { title: "itself", value: (row) => row.self, show: duration },
      { title: "%", value: (row) => row.self, show: (ns) => percent(ns, all) },
      { title: "with callees", value: (row) => row.total, show: duration },
      { title: "calls", value: (row) => row.calls, show: calls },
      { title: "itself per call", value: (row) => row.calls ? row.self / row.calls : 0,
        show: (ns, row) => row.calls ? duration(ns) : "" },
      { title: "function", text: true, value: (row) => this.source.names.full(row.function),
        show: (name, row) => momentLink(name, () => this.search?.look(row.function)) },
    ], rows, { filter: true, most: 300 });
  }
  showTree() {
    return this.showProfile(({ tree }) => treeLines(treeNodes(tree)[0], this.source.names));
  }
  showFlame() {
    return this.showProfile(({ tree }) =>
      new FlameGraph(treeNodes(tree)[0], this.source.names, this.tip).canvas);
  }
  async showSleeps() {
    const { sleeps } = await this.source.sleeps(this.range());
    const rows = sleeps.map(([thread, times, sum, ...slice]) => ({ thread, times, sum,
      begin: slice[SLICE.begin], longest: slice[SLICE.length],
      where: slice[SLICE.detail], waker: slice[SLICE.waker] }));
    if (!rows.length)
      return element("p", { textContent: this.recording.missing.sleeps ||
        "No thread slept in the selected interval." });
    const made = table([
      { title: "asleep", value: (row) => row.sum, show: duration },
      { title: "times", value: (row) => row.times, show: count },
      { title: "mean", value: (row) => row.sum / row.times, show: duration },
      { title: "longest", value: (row) => row.longest, show: (ns, row) =>
        momentLink(duration(ns), () => this.goTo(row.begin, row.begin + ns, row.thread)) },
      { title: "thread", text: true, value: (row) =>
        threadLabel(this.recording.threads[row.thread]) },
      { title: "where", text: true, value: (row) =>
        row.where < 0 ? "not seen" : this.source.names.full(row.where) },
      { title: "woken by", text: true, value: (row) => wakerLabel(this.recording, row.waker) },
    ], rows, { filter: true });
    return element("div", {}, element("p", { className: "dim note", textContent:
      "Sleeps that overlap this interval, each with its whole length." }), made);
  }
}

/* Returns the facts about a slice as pairs. */
function sliceFacts({ slice, kind, thread }, recording, names) {
  const name = slice[SLICE.name];
  const isMany = slice[SLICE.count] > 1;
  const what = kind === "stack" ? names.full(name) : kind === "state" ?
    recording.states[name] : threadLabel(recording.threads[name]);
  const facts = [
    [kind === "stack" ? "call of" : kind === "state" ? "state" : "runs", what],
    ["begins at", moment(slice[SLICE.begin], 1)],
    ["lasts", `${duration(slice[SLICE.length])} (${count(slice[SLICE.length])} ns)`]];
  if (isMany)
    facts.push(["stands for", `${count(slice[SLICE.count])} of them, with the name ` +
      `of the longest; ${duration(slice[SLICE.busy])} in all: zoom in`]);
  if (thread !== undefined)
    facts.push(["thread", threadLabel(recording.threads[thread])]);
  if (kind === "stack")
    facts.push(["depth", slice[SLICE.depth]]);
  if (kind === "state" && slice[SLICE.detail] >= 0)
    facts.push([name === STATE.asleep ? "waits in" : "in", names.full(slice[SLICE.detail])]);
  if (kind === "state" && name === STATE.asleep)
    facts.push(["woken by", slice[SLICE.waker] >= 0 ?
      wakerLabel(recording, slice[SLICE.waker]) : recording.missing.sleeps ?? "not known"]);
  return facts;
}
