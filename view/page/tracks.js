/* SPDX-License-Identifier: MIT */
/* The rows of the timeline: which there are, and how each is drawn. */

const NAMES_WIDTH = 230;
const PIN_X = NAMES_WIDTH - 20;
const ROW = { head: 20, cpu: 18, state: 16, call: 15, more: 16, gap: 3 };
/* The number of threads of a process that are shown at first. */
const FEW_THREADS = 8;

/** A row of the timeline, at @top.
 * @typedef {{ kind: string, label: string, height: number, top: number, about?: string,
 *   track?: number, number?: number, group?: number | string }} Row
 */

/* Labels and order of a recording's threads; idle ones are last. */
function threadLabel(thread) {
  if (thread.tid > 0)
    return `${thread.name} ${thread.tid}`;
  return `${thread.tid ? "unknown" : "idle"}, CPU ${thread.cpu}`;
}

function fiberLabel({ fiber, kind }) {
  return `${kind} ${fiber}`;
}

/* Returns whether a row of @kind has calls, by depth. */
function isCalls(kind) {
  return kind === "stack" || kind === "fiber";
}

function busyTime(thread) {
  return thread.state_ns.slice(0, STATE.runnable).reduce((a, b) => a + b, 0);
}

/* Returns whether a thread is neither the kernel's nor the recorder's. */
function isProgram(thread) {
  return !thread.is_kernel && thread.part === PART.work;
}

/* Returns the processes with their threads' numbers: programs first, each kind
 * by time on CPUs.
 */
function processesOf(recording) {
  const byPid = new Map();
  recording.threads.forEach((thread, number) => {
    const pid = thread.tid > 0 ? thread.pid : 0;
    if (!byPid.has(pid))
      byPid.set(pid, { pid, threads: [], busy: 0 });
    const process = byPid.get(pid);
    process.threads.push(number);
    process.busy += pid ? busyTime(thread) : -1;
  });
  const processes = [...byPid.values()];
  for (const process of processes) {
    const first = recording.threads[process.threads[0]];
    process.isProgram = process.pid > 0 && isProgram(first);
    process.isKernel = process.pid > 0 && first.is_kernel;
    process.label = process.pid ? `${first.process} ${process.pid}` : "Idle tasks";
  }
  return processes.sort((a, b) => b.isProgram - a.isProgram || b.busy - a.busy);
}

/* The orders of threads within their process: the highest value first. */
const THREAD_ORDERS = {
  busy: { title: "time on CPUs", value: busyTime },
  runnable: { title: "waits for a CPU", value: (thread) =>
    thread.state_ns[STATE.runnable] + thread.state_ns[STATE.throttled] },
  asleep: { title: "time asleep", value: (thread) => thread.state_ns[STATE.asleep] },
  tid: { title: "thread number", value: (thread) => -thread.tid },
};

/* The user's choice of rows: the threads whose calls are shown (open), the
 * processes that show all or none of their threads, pins, a filter.
 */
class RowChoice {
  constructor() {
    this.open = new Set();	/* threads, by number */
    this.whole = new Set();	/* groups whose threads are all shown */
    this.closed = new Set();	/* groups of which none is shown */
    this.pins = new Set();	/* threads, by number */
    this.filter = "";
    this.order = "busy";
  }
  toggle(set, item) {
    if (!set.delete(item))
      set.add(item);
  }
  fits(label) {
    return label.toLowerCase().includes(this.filter.toLowerCase());
  }
  /* Returns the parts of the page's address. */
  parts() {
    const parts = {};
    if (this.filter)
      parts.filter = this.filter;
    if (this.pins.size)
      parts.pin = [...this.pins].join();
    if (this.order !== "busy")
      parts.sort = this.order;
    return parts;
  }
  take(parts) {
    this.filter = parts.get("filter") ?? "";
    this.pins = new Set((parts.get("pin") ?? "").split(",").filter(Boolean)
      .map(Number).filter(Number.isSafeInteger));
    const order = parts.get("sort") ?? "busy";
    this.order = order in THREAD_ORDERS ? order : "busy";
  }
}

/* Returns the groups of threads below one head each: the programs' processes,
 * the kernel's threads together, the idle tasks.
 */
function groupsOf(recording, choice) {
  const groups = [];
  let kernel = null;
  for (const process of processesOf(recording)) {
    if (!process.isKernel) {
      groups.push({ key: process.pid, label: process.label, threads: process.threads });
    } else if (kernel) {
      kernel.threads.push(...process.threads);
    } else {
      kernel = { key: "kernel", label: "Kernel threads", threads: [...process.threads] };
      groups.push(kernel);
    }
  }
  const { value } = THREAD_ORDERS[choice.order];
  for (const group of groups) {
    const isWhole = !choice.filter || choice.fits(group.label);
    group.threads = group.threads.filter((number) => recording.threads[number] &&
      (isWhole || choice.fits(threadLabel(recording.threads[number]))));
    group.values = new Map(group.threads.map((number) => [number, value(recording.threads[number])]));
    group.threads.sort((a, b) => group.values.get(b) - group.values.get(a));
    group.busy = group.threads.reduce((sum, number) => sum + busyTime(recording.threads[number]), 0);
  }
  return groups.filter((group) => group.threads.length);
}

/* Lays out the rows, each with its distance from the top: CPUs, pinned threads,
 * then groups with their threads; the calls of an open thread are below it.
 */
function layOutRows(recording, choice, depths) {
  const rows = [];
  let top = 0;
  const add = (row) => {
    rows.push({ ...row, top });
    top += row.height + ROW.gap;
  };
  add({ kind: "head", label: "CPUs", height: ROW.head });
  for (const cpu of recording.cpus.toSorted((a, b) => a - b))
    add({ kind: "cpu", track: cpu * TRACK.kinds + TRACK.cpu, label: `CPU ${cpu}`,
      height: ROW.cpu });
  addOff(recording, choice, add);
  const pins = [...choice.pins].filter((number) => recording.threads[number]);
  if (pins.length)
    add({ kind: "head", label: "Pinned", height: ROW.head });
  for (const number of pins)
    addThread(recording, number, choice, depths, add);
  const groups = groupsOf(recording, choice);
  for (const group of groups)
    addGroup(recording, group, choice, depths, add);
  if (!groups.length)
    add({ kind: "none", height: ROW.head, label: recording.threads.length ?
      `No thread is called “${choice.filter}”: all are left out by your filter.` :
      "No thread ran." });
  return { rows, height: top };
}

/* Adds the intervals without interrupts and without preemption of each CPU, if
 * they are opened.
 */
function addOff(recording, choice, add) {
  const isOpen = choice.whole.has("off");
  add({ kind: "more", group: "off", height: ROW.more,
    label: `${isOpen ? "▾" : "▸"} interrupts, preemption off` });
  for (const cpu of isOpen ? recording.cpus.toSorted((a, b) => a - b) : [])
    for (const [track, what] of [[TRACK.interruptsOff, "interrupts"],
      [TRACK.preemptionOff, "preemption"]])
      add({ kind: "off", track: cpu * TRACK.kinds + track, height: ROW.cpu,
        label: `CPU ${cpu} ${what} off` });
}

function addGroup(recording, group, choice, depths, add) {
  const isClosed = choice.closed.has(group.key);
  const many = group.threads.length;
  add({ kind: "head", group: group.key, height: ROW.head,
    label: `${isClosed ? "▸" : "▾"} ${group.label}`,
    about: `${many > 1 ? `${plural(many, "thread")}, ` : ""}${duration(group.busy)} on CPUs` });
  if (isClosed)
    return;
  const shown = choice.whole.has(group.key) ? group.threads :
    group.threads.filter((number, i) => i < FEW_THREADS || choice.open.has(number));
  for (const number of shown)
    if (!choice.pins.has(number))
      addThread(recording, number, choice, depths, add);
  if (shown.length < many)
    add({ kind: "more", group: group.key, height: ROW.more,
      label: `▸ ${plural(many - shown.length, "more thread")}` });
  else if (many > FEW_THREADS)
    add({ kind: "more", group: group.key, height: ROW.more, label: "▾ fewer threads" });
  addFibers(recording, group.key, choice, depths, add);
}

function addThread(recording, number, choice, depths, add) {
  const thread = recording.threads[number];
  const isOpen = choice.open.has(number);
  add({ kind: "state", track: number * TRACK.kinds + TRACK.state, number,
    label: `${isOpen ? "▾" : "▸"} ${threadLabel(thread)}`, height: ROW.state });
  const track = number * TRACK.kinds + TRACK.stack;
  if (isOpen)
    add({ kind: "stack", track, number, label: "",
      height: Math.max(3, depths.get(track) ?? 8) * ROW.call });
}

/* Adds the rows of a process's fibers: coroutines, goroutines, other stacks that
 * are no thread's own.
 */
function addFibers(recording, pid, choice, depths, add) {
  const fibers = [...recording.fibers.keys()].filter((i) => recording.fibers[i].pid === pid &&
    (!choice.filter || choice.fits(fiberLabel(recording.fibers[i]))));
  const key = `fibers of ${pid}`;
  const shown = choice.whole.has(key) ? fibers : fibers.slice(0, FEW_THREADS);
  for (const i of shown) {
    const track = i * TRACK.kinds + TRACK.fiber;
    add({ kind: "fiber", track, label: fiberLabel(recording.fibers[i]),
      height: Math.max(2, depths.get(track) ?? 2) * ROW.call });
  }
  if (shown.length < fibers.length)
    add({ kind: "more", group: key, height: ROW.more,
      label: `▸ ${plural(fibers.length - shown.length, "more fiber")}` });
  else if (fibers.length > FEW_THREADS)
    add({ kind: "more", group: key, height: ROW.more, label: "▾ fewer fibers" });
}

/* Draws one row. */
class Painter {
  constructor(context, recording, names) {
    this.context = context;
    this.recording = recording;
    this.names = names;
    this.stripes = this.makeStripes();
    this.colors = { cpu: new Map(), stack: new Map(), fiber: new Map(), off: new Map() };
  }
  makeStripes() {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const context = tile.getContext("2d");
    context.strokeStyle = "#ffffff70";
    context.lineWidth = 1.5;
    for (const x of [-6, 0, 6]) {
      context.moveTo(x, 6);
      context.lineTo(x + 6, 0);
    }
    context.stroke();
    return this.context.createPattern(tile, "repeat");
  }
  /* Returns the text of the slice at index @at of @slices. */
  label(kind, slices, at) {
    const name = slices[at + SLICE.name];
    if (kind === "state")
      return this.stateLabel(slices, at);
    if (isCalls(kind) || kind === "off")
      return this.names.name(name);
    const thread = this.recording.threads[name];
    return thread ? threadLabel(thread) : "?";
  }
  /* Returns the colour of a slice. An image has many thousands of slices, so
   * each name's colour is cached.
   */
  color(kind, slices, at) {
    const name = slices[at + SLICE.name];
    if (kind === "state")
      return stateColors[name];
    const known = this.colors[kind];
    const color = known.get(name) ?? (kind !== "cpu" ? this.names.color(name) :
      threadColor(this.label(kind, slices, at)));
    known.set(name, color);
    return color;
  }
  stateLabel(slices, at) {
    const state = this.recording.states[slices[at + SLICE.name]];
    const detail = slices[at + SLICE.detail];
    return detail < 0 ? state : `${state}: ${this.names.name(detail)}`;
  }
  slice(kind, slices, at, x, y, width, height) {
    const { context } = this;
    const color = this.color(kind, slices, at);
    context.fillStyle = color;
    context.fillRect(x, y, Math.max(width, 1), height);
    if (slices[at + SLICE.count] > 1 && width > 4) {
      context.fillStyle = this.stripes;
      context.fillRect(x, y, width, height);
    }
    if (width > 26)
      this.text(this.label(kind, slices, at), slices[at + SLICE.count], x + 3, y + height - 4,
        width - 6, kind === "state" ? stateInk(slices[at + SLICE.name]) : INK.dark);
  }
  text(label, parts, x, y, width, ink) {
    const text = parts > 1 ? `${label} ×${count(parts)}` : label;
    const room = Math.floor(width / 6.3);
    if (room < 3)
      return;
    this.context.fillStyle = ink;
    this.context.fillText(text.length > room ? `${text.slice(0, room - 1)}…` : text,
      x, y);
  }
}

/* Returns the number of levels in @slices. */
function depthOf(slices) {
  let most = 0;
  for (let i = 0; i < slices.length; i += SLICE.numbers)
    most = Math.max(most, slices[i + SLICE.depth] + 1);
  return most;
}
