/* SPDX-License-Identifier: MIT */
/* The recording's contents, in words and bars. */

const PROCESSES_SHOWN = 15;
const LONGEST_SHOWN = 8;

/* @page: as for explanationOf(). */
function overview(recording, names, page) {
  const { goTo } = page;
  const thread = (number) => threadLabel(recording.threads[number]);
  /* @none: there is none, although it was recorded; @why: it was not recorded. */
  const longest = (title, about, list, columns, none, why) => {
    const rows = list.longest.map(longestRow);
    const others = rows.filter((row) => recording.threads[row.thread].part !== PART.tracer);
    return list.count ? element("div", {},
      element("h2", { textContent: title }),
      element("p", { textContent: about +
        (others.length < rows.length ? " Not listed: the recorder’s." : "") }),
      table(columns, others.slice(0, LONGEST_SHOWN))) :
      why || recording.is_complete ? element("div", {},
        element("h2", { textContent: title }),
        element("p", { textContent: why ?? none })) : null;
  };
  const when = { title: "at", value: (row) => row.begin, show: (at, row) =>
    momentLink(moment(at, 1e3), () => goTo(at, at + row.length, row.thread)) };
  const how = { title: "for", value: (row) => row.length, show: duration };
  const who = { title: "thread", text: true, value: (row) => thread(row.thread) };
  const what = (title, number) => ({ title, text: true, value: (row) =>
    number(row) < 0 ? "" : names.full(number(row)) });
  const { sleeps, calls, interrupts, gaps } = recording.lists;
  const { missing } = recording;
  return element("div", {},
    explanationOf(recording, page),
    element("p", { className: "note", textContent: sentences(recording).join(" ") }),
    element("div", { className: "columns" },
      processBars(recording, goTo),
      longest("The longest sleeps", `Programs slept ${plural(sleeps.count, "time")}; kernel threads are in Sleeps. ` +
        "Where: the wait channel, the function that decided to wait.", sleeps,
        [how, who, what("where", (row) => row.detail), { title: "woken by",
          text: true, value: (row) => wakerLabel(recording, row.waker) }, when],
        "No thread slept: it was recorded, and there is none.", missing.sleeps),
      longest("The slowest system calls", `${plural(calls.count, "system call")}, ` +
        "with the time that threads slept in them.", calls,
        [how, who, what("call", (row) => row.name), when],
        "No system call was made: it was recorded, and there is none.", missing.calls),
      longest("Interrupt work", `Threads were interrupted ${plural(interrupts.count,
        "time")}, for ${duration(interrupts.sum_ns)} in all.`, interrupts,
        [how, who, what("by", (row) => row.detail), when],
        "No thread was interrupted: it was recorded, and there is none.", missing.interrupts),
      longest("Gaps in the trace", `${plural(gaps.count, "gap")}, ` +
        `${duration(gaps.sum_ns)} in all, in which execution is unknown.`, gaps,
        [how, who, when], "The trace has no gaps.", missing.functions)));
}

function longestRow([thread, begin, length, , name, detail, waker]) {
  return { thread, begin, length, name, detail, waker };
}

function wakerLabel(recording, tid) {
  const waker = recording.threads.find((thread) => thread.tid === tid && tid > 0);
  return waker ? threadLabel(waker) : tid === 0 ? "an interrupt while idle" : "";
}

function sentences(recording) {
  const { facts, threads, cpus, begin_ns, length_ns, lists, missing } = recording;
  const own = threads.filter((thread) => thread.tid > 0);
  const processes = new Set(own.map((thread) => thread.pid)).size;
  const unknown = own.reduce((sum, thread) => sum + thread.state_ns[STATE.unknown], 0);
  const notAsked = own.reduce((sum, thread) => sum + thread.state_ns[STATE.not_asked], 0);
  return [
    `${duration(length_ns - begin_ns)} on ` +
      `${plural(cpus.length, "CPU")}: ${plural(own.length, "thread")} of ` +
      `${plural(processes, "process").replace(/sss$/, "sses")}` +
      (missing.calls ? "." : `, ${plural(lists.calls.count, "system call")}.`) +
      (facts.kernel ? ` Linux ${facts.kernel}${facts.host ? ` on ${facts.host}` : ""}.` : ""),
    missing.functions ?? (unknown ? `Of the threads’ time ${duration(unknown)} lies in gaps of the trace.` :
      "The trace has no gaps."),
    notAsked ? `Of the threads’ time ${duration(notAsked)} was outside the calls that ` +
      "record --only selected (not asked for)." : "",
    facts.lost_records ? `${plural(facts.lost_records, "record")} of events lost: ` +
      "rows may be missing." : "",
    facts.truncated ? `Trace lost ${plural(facts.truncated, "time")}: the buffer was full.` : "",
    facts.is_cut ? "The recording was not finished." : "",
  ].filter(Boolean);
}

/* Each process's wall time by state. */
function processBars(recording, goTo) {
  const processes = processesOf(recording).filter((process) => process.pid);
  const sums = processes.map((process) => process.threads.reduce((sum, number) =>
    sum.map((ns, i) => ns + recording.threads[number].state_ns[i]),
  recording.states.map(() => 0)));
  const used = recording.states.map((name, i) => i).filter((i) =>
    sums.some((sum) => sum[i]));
  const legend = element("div", { className: "legend" }, ...used.map((i) =>
    element("span", {}, swatch(stateColors[i]), recording.states[i])));
  const columns = [
    { title: "process", text: true, value: (row) => row.label,
      show: (label, row) => momentLink(label, () =>
        goTo(recording.begin_ns, recording.length_ns, row.threads[0])) },
    { title: "wall time", value: (row) => row.wall, show: duration },
    { title: "on a CPU", value: (row) => row.busy, show: duration,
      order: (row) => (row.isProgram ? recording.length_ns * recording.cpus.length : 0) +
        row.busy },
    { title: "parts of its wall time", bar: true, value: (row) => row.busy / (row.wall || 1),
      show: (value, row) => stateBar(recording, row.sum) },
  ];
  const rows = processes.map((process, i) => ({ ...process, sum: sums[i],
    wall: sums[i].reduce((a, b) => a + b, 0) }));
  return element("div", {}, element("h2", { textContent: "Where the time went" }),
    element("p", { textContent: "Programs first, then kernel threads and the recorder." }),
    legend, table(columns, rows, { sortBy: 2, most: PROCESSES_SHOWN }));
}

function stateBar(recording, sum) {
  const bar = element("span", { className: "bar" });
  const all = sum.reduce((a, b) => a + b, 0) || 1;
  sum.forEach((ns, i) => {
    if (!ns)
      return;
    const part = element("span", {
      title: `${recording.states[i]}: ${duration(ns)}, ${percent(ns, all)}` });
    part.style.width = `${100 * ns / all}%`;
    part.style.background = stateColors[i];
    bar.append(part);
  });
  return bar;
}
