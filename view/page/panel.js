/* SPDX-License-Identifier: MIT */
/* The lower half: details of the selection, or of the visible window. */

class Panel {
  /* @events: begins() before and changed() after each choice. */
  constructor(source, timeline, tip, events) {
    this.source = source;
    this.timeline = timeline;
    this.tip = tip;
    this.events = events;
    this.tab = "overview";
    this.function = null;	/* of the tab "function" */
    /** @type {Search | null} */
    this.search = null;
    this.isInverted = false;
    this.asked = 0;
    this.content = byId("content");
    this.scope = byId("scope");
    this.tabs = { overview: ["Overview", () => this.showOverview()],
      details: ["Details", () => this.showDetails()],
      functions: ["Functions", () => this.showFunctions()],
      function: ["Function", () => this.showFunction()],
      tree: ["Call tree", () => this.showTree()],
      flame: ["Flame graph", () => this.showFlame()],
      sleeps: ["Sleeps", () => this.showSleeps()],
      reports: ["Waits and I/O", () => this.showReports()],
      threads: ["Threads", () => this.showThreads()] };
    this.buttons = new Map(Object.entries(this.tabs).map(([id, [title]]) => {
      const button = element("button", { textContent: title, id: `tab-${id}`, type: "button" });
      button.setAttribute("role", "tab");
      button.setAttribute("aria-controls", "content");
      button.addEventListener("click", () => this.choose(id));
      return [id, button];
    }));
    const list = byId("tabs");
    list.append(...this.buttons.values());
    list.addEventListener("keydown", (event) => this.tabKey(event));
    this.chosen = "";	/* the scope that the user chose, not a selection's */
    this.scope.addEventListener("change", () => {
      this.chosen = this.scope.value;
      this.showStep();
    });
    this.parts = ["with_idle", "with_tracer"].map((id) => byId(id));
    for (const box of this.parts)
      box.addEventListener("change", () => this.show());
  }

  take(recording) {
    const chosen = this.scope.value;
    this.recording = recording;
    this.profiled = null;
    const options = recording.threads.map((thread, i) => ({ i, thread }))
      .filter(({ thread }) => thread.tid > 0)
      .map(({ i, thread }) => element("option", { value: i, textContent: threadLabel(thread) }));
    this.scope.replaceChildren(element("option", { value: "", textContent: "all threads" }),
      ...options);
    this.scope.value = chosen;
    if (["overview", "reports", "threads"].includes(this.tab))
      this.show();
  }
  choose(tab) {
    this.events.begins();
    this.tab = tab;
    this.showStep();
  }
  /* Arrow keys move among the tabs, as in the pattern for tabs. */
  tabKey(event) {
    const ids = [...this.buttons.keys()];
    const at = ids.indexOf(this.tab);
    const next = { ArrowRight: ids[(at + 1) % ids.length], ArrowLeft: ids.at(at - 1),
      Home: ids[0], End: ids.at(-1) }[event.key];
    if (!next)
      return;
    event.preventDefault();
    this.choose(next);
    this.buttons.get(next).focus();
  }
  /* Called when a selection is made in the timeline. */
  select(selection) {
    if (!selection)
      this.chosen = "";
    this.scope.value = this.recording.threads[selection?.thread]?.tid > 0 ?
      selection.thread : this.chosen;
    if (this.tab === "overview" && selection)
      this.tab = selection.slice ? "details" : "functions";
    this.showStep();
  }
  /* Shows the tab, thread and function that an address names. */
  restore({ tab, of, function: called, isInverted }) {
    this.tab = tab in this.tabs ? tab : "overview";
    this.chosen = this.recording.threads[Number(of ?? NaN)] ? of : "";
    this.scope.value = this.chosen;
    const number = Number(called ?? NaN);
    this.function = Number.isSafeInteger(number) && number >= 0 ? number : null;
    this.isInverted = isInverted;
    return this.show();
  }
  /* Makes the function that a search found the one of the tab "function". */
  lookedFor(number) {
    this.function = number;
  }
  openFunction(number) {
    this.events.begins();
    this.function = number;
    this.choose("function");
  }
  /* Shows a tab of a thread, by its id. */
  showOf(tab, tid) {
    const number = this.recording.threads.findIndex((thread) => thread.tid === tid);
    this.events.begins();
    this.timeline.selection = null;
    this.timeline.showAll();
    this.chosen = number < 0 ? "" : String(number);
    this.scope.value = this.chosen;
    this.choose(tab);
  }

  /* Returns the thread and window of the query. */
  range() {
    const { from, to } = this.timeline.selection ?? this.timeline.view;
    const wanted = { from: Math.max(0, Math.floor(from)), to: Math.ceil(to) };
    if (this.scope.value !== "")
      wanted.thread = Number(this.scope.value);
    return wanted;
  }
  /* Returns whether the user's choices leave out a part of the recording. */
  isChosen() {
    const { from, to } = this.range();
    return this.scope.value !== "" || from > this.recording.begin_ns || to < this.recording.length_ns;
  }
  /* Returns why there is nothing: one of the three sentences of reports. @what:
   * "No thread slept", without a full stop; @missing: the key of
   * recording.missing, with the sentence for what was not recorded.
   */
  none(what, missing) {
    return this.recording.missing[missing] ?? `${what}${this.isChosen() ?
      " by the thread and in the time that you chose: the rest is left out by your choice." :
      ": it was recorded, and there is none."}`;
  }
  showStep() {
    const shown = this.show();
    this.events.changed();
    return shown;
  }
  async show() {
    const number = ++this.asked;
    this.tip(null);
    for (const [id, button] of this.buttons) {
      button.classList.toggle("chosen", id === this.tab);
      button.setAttribute("aria-selected", String(id === this.tab));
      button.tabIndex = id === this.tab ? 0 : -1;
    }
    this.content.setAttribute("aria-labelledby", `tab-${this.tab}`);
    const isProfile = ["functions", "function", "tree", "flame"].includes(this.tab);
    const isTimed = isProfile || this.tab === "sleeps";
    const { from, to } = this.range();
    byId("whose").hidden = !isTimed;
    byId("parts").hidden = !isProfile;
    byId("range").textContent = ["overview", "reports", "threads"].includes(this.tab) ? "" :
      `${this.timeline.selection ? "selected" : "seen"}: ${moment(from, (to - from) / 100)}` +
      ` + ${duration(to - from)}`;
    /* The panel still shows the previous answer, which fades after a moment. */
    this.content.classList.add("waiting");
    this.content.setAttribute("aria-busy", "true");
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
    this.content.setAttribute("aria-busy", "false");
    this.tip(null);
    this.content.replaceChildren(shown);
  }
  /* Shows a moment of a thread, marked. */
  goTo(from, to, thread) {
    this.timeline.goTo(from, to, thread);
    this.timeline.selection = { from, to, thread };
    this.timeline.redraw();
  }

  showOverview() {
    return overview(this.recording, this.source.names, this.explanationLinks());
  }
  explanationLinks() {
    return { goTo: (from, to, thread) => this.goTo(from, to, thread),
      titleOf: (tab) => this.tabs[tab][0],
      showOf: (tab, tid) => this.showOf(tab, tid) };
  }
  showDetails() {
    const selection = this.timeline.selection;
    if (!selection)
      return element("p", { textContent:
        "Nothing is selected: click a call or a state in the timeline." });
    if (!selection.slice)
      return element("div", {}, element("p", { textContent:
        `${duration(selection.to - selection.from)} selected.` }),
      this.explainPart(selection));
    const facts = sliceFacts(selection, this.recording, this.source.names);
    return element("div", {}, element("table", {}, element("tbody", {},
      ...facts.map(([name, value]) => element("tr", {},
        element("td", { className: "text dim", textContent: name }),
        element("td", { className: "text" }, String(value)))))),
    element("p", { className: "links" }, ...this.detailLinks(selection)),
    this.explainPart(selection));
  }
  /* Why the selected time took as long as it did, on request: that takes as long
   * as the trace.
   */
  explainPart({ from, to, thread }) {
    const tid = this.recording.threads[thread]?.tid;
    const explain = element("button", { id: "explain", textContent: "Explain this time" });
    const about = element("p", { className: "dim", textContent:
      "Reads the trace once more. On a terminal:" });
    const part = element("section", {}, explain, about, this.explainCommand(from, to, tid));
    explain.addEventListener("click", async () => {
      explain.disabled = true;
      about.textContent = "Decoding …";
      try {
        const time = { from: Math.floor(from), to: Math.ceil(to) };
        const { explanation } = await this.source.explain(
          tid > 0 ? { ...time, thread } : time);
        part.replaceChildren(
          explanationOf({ ...this.recording, explanation }, this.explanationLinks()));
      } catch (error) {
        explain.disabled = false;
        about.textContent = error.message;
      }
    });
    return part;
  }
  explainCommand(from, to, tid) {
    const path = this.recording.facts.path.replaceAll("'", "'\\''");
    const command = `ktrace-hw explain -i '${path}' --since=${(from / 1e9).toFixed(9)}` +
      ` --until=${(to / 1e9).toFixed(9)}${tid > 0 ? ` --pid=${tid}` : ""}`;
    return element("p", {}, element("code", { id: "explain-command", textContent: command }));
  }
  /* Returns where a selected slice leads: the waker, the calls, the function. */
  detailLinks({ from, to, kind, thread, slice }) {
    const links = [];
    const { threads } = this.recording;
    const waker = kind === "state" && slice[SLICE.name] === STATE.asleep ?
      threads.findIndex((other) => other.tid > 0 && other.tid === slice[SLICE.waker]) : -1;
    if (waker >= 0)
      links.push(momentLink(`Show what ${threadLabel(threads[waker])} did when it woke it`,
        () => this.showWaker(from, to, thread, waker)));
    if (kind === "cpu")
      links.push(momentLink("Show its calls in this time",
        () => this.goTo(from, to, slice[SLICE.name])));
    const called = isCalls(kind) || kind === "off" ? slice[SLICE.name] : slice[SLICE.detail];
    if (kind !== "cpu" && called >= 0)
      links.push(momentLink(`Callers, callees and instructions of ${this.source.names.name(called)}`,
        () => this.openFunction(called)));
    return links;
  }
  /* Shows the waker's row below the sleeper's, at the wake-up. */
  showWaker(from, to, thread, waker) {
    const { timeline } = this;
    this.events.begins();
    timeline.choose((choice) => {
      choice.pins.delete(waker);
      choice.pins.add(thread);
      choice.pins.add(waker);
      choice.open.delete(thread);
      choice.open.add(waker);
    });
    const around = Math.max(1000, (to - from) / 50);
    this.events.changed();
    timeline.show(to - around, to + around);
    timeline.scrollToRow(timeline.rows.find((row) => row.number === thread));
  }
  /* Fetches the profile of the selection with the chosen parts, once for all tabs
   * that show it.
   */
  profile() {
    const wanted = this.range();
    for (const box of this.parts)
      if (box.checked)
        wanted[box.id] = 1;
    const key = JSON.stringify(wanted);
    if (this.profiled?.key !== key) {
      const profiled = { key, answer: this.source.profile(wanted) };
      profiled.answer.catch(() => this.profiled === profiled && (this.profiled = null));
      this.profiled = profiled;
    }
    return this.profiled.answer;
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
      profile.self_ns ? "" : this.none(`Nothing${left ? " else" : ""}${whose} ran`, "functions"),
      this.recording.lists.interrupts.count ? "Interrupt work counts for the thread that it interrupted: " +
        "report --flat charges it to the process that it was for." : "",
      grown ? `Summed from ${moment(profile.from, 1e3)} to ${moment(profile.to, 1e3)}.` : "",
      profile.left_out && this.tab !== "functions" ? `${plural(profile.left_out, "call path")} of the tree ${profile.left_out === 1 ? "is" : "are"} too small to show.` : ""];
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
        show: (name, row) => momentLink(name, () => this.openFunction(row.function)) },
    ], rows, { filter: true, most: 300 });
  }
  /* Returns a switch between a tree from the top and one from the bottom. */
  invertSwitch() {
    const box = element("input", { type: "checkbox", id: "inverted", checked: this.isInverted });
    box.addEventListener("change", () => {
      this.isInverted = box.checked;
      this.showStep();
    });
    return element("label", { className: "switch" }, box,
      "inverted: each function’s own time, with its callers below it");
  }
  shownTree({ tree }) {
    const nodes = treeNodes(tree);
    return this.isInverted ? invertedTree(nodes) : nodes[0];
  }
  showTree() {
    return this.showProfile((profile) => element("div", {}, this.invertSwitch(),
      treeLines(this.shownTree(profile), this.source.names, {
        label: this.isInverted ? "Inverted call tree" : "Call tree",
        look: (number) => this.openFunction(number) })));
  }
  showFlame() {
    return this.showProfile((profile) => {
      const flame = new FlameGraph(this.shownTree(profile), this.source.names, this.tip,
        { label: this.isInverted ? "Inverted flame graph" : "Flame graph" });
      flame.canvas.id = "flame";
      return element("div", {}, this.invertSwitch(),
        element("ul", { className: "legend" }, "Colours: code of", ...codeLegend()), flame.canvas);
    });
  }
  async showFunction() {
    if (this.function === null)
      return element("p", { textContent:
        "No function is chosen: search one, or click one in Functions." });
    const profile = await this.profile();
    const { names } = this.source;
    return element("div", {}, this.profileNote(profile), functionPanel(profile, this.function, {
      names, tip: this.tip,
      look: (number) => this.search.look(number),
      choose: (number) => this.openFunction(number),
      none: (name) => this.none(profile.left_out ?
        `${name} took too little time for the tree` : `${name} did not run`, "functions"),
      annotate: (number) => this.source.annotate({ ...this.range(), function: number }) }));
  }
  showThreads() {
    const { recording, timeline } = this;
    const states = recording.states.map((title, i) => ({ title, i }))
      .filter(({ i }) => recording.threads.some((thread) => thread.state_ns[i]));
    const rows = recording.threads.map((thread, number) => ({ thread, number,
      busy: busyTime(thread) }));
    return element("div", {}, rows.length ? table([
      { title: "on CPUs", value: (row) => row.busy, show: duration,
        order: (row) => row.busy + (isProgram(row.thread) ? recording.length_ns : 0) },
      { title: "thread", text: true, value: (row) => threadLabel(row.thread),
        show: (label, row) => momentLink(label, () =>
          this.goTo(recording.begin_ns, recording.length_ns, row.number)) },
      { title: "process", text: true, value: (row) => row.thread.tid > 0 ?
        `${row.thread.process} ${row.thread.pid}` : "" },
      { title: "pinned", value: (row) => timeline.choice.pins.has(row.number) ? 1 : 0,
        show: (pinned, row) => this.pinBox(row) },
      ...states.map(({ title, i }) => ({ title, value: (row) => row.thread.state_ns[i],
        show: (ns) => ns ? duration(ns) : "" })),
    ], rows, { filter: true, most: 200 }) :
      element("p", { textContent: "No thread ran: it was recorded, and there is none." }));
  }
  pinBox({ number, thread }) {
    const box = element("input", { type: "checkbox",
      checked: this.timeline.choice.pins.has(number) });
    box.setAttribute("aria-label", `Pin ${threadLabel(thread)}`);
    box.addEventListener("change", () => this.timeline.pin(number));
    return box;
  }
  showReports() {
    return reportsOf(this.recording, (from, to, thread) => this.goTo(from, to, thread));
  }
  async showSleeps() {
    const { sleeps } = await this.source.sleeps(this.range());
    const rows = sleeps.map(([thread, times, sum, ...slice]) => ({ thread, times, sum,
      begin: slice[SLICE.begin], longest: slice[SLICE.length],
      where: slice[SLICE.detail], waker: slice[SLICE.waker] }));
    if (!rows.length)
      return element("p", { textContent: this.none("No thread slept", "sleeps") });
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

/* What a slice's name is, by the kind of its row. */
const FACT_OF = { cpu: "runs", state: "state", stack: "call of", fiber: "call of",
  off: "switched off in" };

/* Returns the facts about a slice as pairs. */
function sliceFacts({ slice, kind, thread }, recording, names) {
  const name = slice[SLICE.name];
  const isMany = slice[SLICE.count] > 1;
  const what = isCalls(kind) || kind === "off" ? names.full(name) : kind === "state" ?
    recording.states[name] : threadLabel(recording.threads[name]);
  const facts = [
    [FACT_OF[kind], what],
    ["begins at", moment(slice[SLICE.begin], 1)],
    ["lasts", `${duration(slice[SLICE.length])} (${count(slice[SLICE.length])} ns)`]];
  if (isMany)
    facts.push(["stands for", `${count(slice[SLICE.count])} of them, with the name ` +
      `of the longest; ${duration(slice[SLICE.busy])} in all: zoom in`]);
  if (thread !== undefined)
    facts.push(["thread", threadLabel(recording.threads[thread])]);
  if (kind === "off" && slice[SLICE.waker] >= 0)
    facts.push(["ran", wakerLabel(recording, slice[SLICE.waker])]);
  if (isCalls(kind))
    facts.push(["depth", slice[SLICE.depth]]);
  const read = kind === "stack" && !isMany ?
    readCallOf(recording, recording.threads[thread].tid, slice[SLICE.begin], name, names) : null;
  if (read)
    facts.push(["arguments", read.arguments], ["result", read.result ?? "it did not return"]);
  if (kind === "state" && slice[SLICE.detail] >= 0)
    facts.push([name === STATE.asleep ? "waits in" : "in", names.full(slice[SLICE.detail])]);
  if (kind === "state" && name === STATE.asleep)
    facts.push(["woken by", slice[SLICE.waker] >= 0 ?
      wakerLabel(recording, slice[SLICE.waker]) : recording.missing.sleeps ?? "not known"]);
  return facts;
}
