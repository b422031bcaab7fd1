/* SPDX-License-Identifier: MIT */
/* The rows of the timeline and how each is drawn. */

const NAMES_WIDTH = 210;
const ROW = { head: 20, cpu: 18, state: 16, call: 15, gap: 3 };

/* Labels and order of a recording's threads; idle ones are last. */
function threadLabel(thread) {
  if (thread.tid > 0)
    return `${thread.name} ${thread.tid}`;
  return `${thread.tid ? "unknown" : "idle"}, CPU ${thread.cpu}`;
}

function busyTime(thread) {
  return thread.state_ns.slice(0, STATE.runnable).reduce((a, b) => a + b, 0);
}

/* Lays out the rows, each with its distance from the top: CPUs, then processes
 * with their threads, busiest first; the calls of an expanded thread are below
 * it.
 */
function layOutRows(recording, open, depths) {
  const rows = [];
  let top = 0;
  const add = (row) => {
    rows.push({ ...row, top });
    top += row.height + ROW.gap;
  };
  add({ kind: "head", label: "CPUs", height: ROW.head });
  for (const cpu of recording.cpus.toSorted((a, b) => a - b))
    add({ kind: "cpu", lane: cpu * LANE.kinds + LANE.cpu, label: `CPU ${cpu}`,
      height: ROW.cpu });
  for (const process of processesOf(recording)) {
    add({ kind: "head", label: process.label, height: ROW.head });
    for (const number of process.threads)
      addThread(recording, number, open, depths, add);
  }
  return { rows, height: top };
}

function addThread(recording, number, open, depths, add) {
  const thread = recording.threads[number];
  const isOpen = open.has(number);
  add({ kind: "state", lane: number * LANE.kinds + LANE.state, number,
    label: `${isOpen ? "▾" : "▸"} ${threadLabel(thread)}`, height: ROW.state });
  const lane = number * LANE.kinds + LANE.stack;
  if (isOpen)
    add({ kind: "stack", lane, number, label: "",
      height: Math.max(3, depths.get(lane) ?? 8) * ROW.call });
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
    process.threads.sort((a, b) =>
      busyTime(recording.threads[b]) - busyTime(recording.threads[a]));
    process.label = process.pid ? `${first.process} ${process.pid}` : "Idle tasks";
  }
  return processes.sort((a, b) => b.isProgram - a.isProgram || b.busy - a.busy);
}

/* Draws one row. */
class Painter {
  constructor(context, recording, names) {
    this.context = context;
    this.recording = recording;
    this.names = names;
    this.stripes = this.makeStripes();
    this.colors = { cpu: new Map(), stack: new Map() };
  }
  makeStripes() {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const context = tile.getContext("2d");
    context.strokeStyle = "#ffffff90";
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
    if (kind === "stack")
      return this.names.name(name);
    const thread = this.recording.threads[name];
    return thread ? threadLabel(thread) : "?";
  }
  /* Returns its colour. An image has many thousands, so each name's is cached.
   */
  color(kind, slices, at) {
    const name = slices[at + SLICE.name];
    if (kind === "state")
      return stateColors[name];
    const known = this.colors[kind];
    const color = known.get(name) ?? nameColor(this.label(kind, slices, at));
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
    context.fillStyle = this.color(kind, slices, at);
    context.fillRect(x, y, Math.max(width, 1), height);
    if (slices[at + SLICE.count] > 1 && width > 4) {
      context.fillStyle = this.stripes;
      context.fillRect(x, y, width, height);
    }
    if (width > 26)
      this.text(this.label(kind, slices, at), slices[at + SLICE.count], x + 3, y + height - 4, width - 6);
  }
  text(label, parts, x, y, width) {
    const text = parts > 1 ? `${label} ×${count(parts)}` : label;
    const room = Math.floor(width / 6.3);
    if (room < 3)
      return;
    this.context.fillStyle = "#1b1d24";
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
