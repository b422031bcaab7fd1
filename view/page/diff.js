/* SPDX-License-Identifier: MIT */
/* The differences between the recordings A and the recordings B. */

/* Longer is red, shorter is blue. */
function changeText(ns) {
  if (!ns)
    return "0";
  return element("span", { className: ns > 0 ? "more" : "less",
    textContent: (ns > 0 ? "+" : "\u2212") + duration(Math.abs(ns)) });
}

function bothSides(title, name, show) {
  return ["a", "b"].map((side) => ({ title: `${title} ${side.toUpperCase()}`,
    value: (row) => row[side][name], show: (value) => value ? show(value) : "" }));
}

/* B in per cent of A; rows missing in A or B have no ratio. */
function ratio(row) {
  return row.a.total_ns && row.b.total_ns ? row.b.total_ns / row.a.total_ns : 0;
}

function diffColumns(section) {
  return [
    { title: "process", text: true, value: (row) => row.comm },
    { title: section.column, text: true, value: (row) => row.name },
    { title: "change", value: (row) => row.change_ns, show: changeText,
      order: (row) => Math.abs(row.change_ns) },
    { title: "B of A", value: ratio,
      show: (value) => value ? `${(100 * value).toFixed(0)} %` : "" },
    ...bothSides("time", "total_ns", duration),
    ...bothSides("count", "count", count),
    ...bothSides("each", "mean_ns", duration),
    ...(section.tail ? bothSides(section.tail, "p99_ns", duration) : []),
    { title: "", text: true, value: (row) => row.note },
  ].filter((column) => section.column !== "function" || column.title !== "process");
}

const diffSections = {
  process: { title: "Where the time of each process went", column: "part" },
  syscall: { title: "System calls", column: "call", tail: "99 %" },
  sleep: { title: "Where processes slept", column: "place", tail: "longest" },
  function: { title: "Functions, time in themselves on CPUs", column: "function" },
};

class DiffPage {
  constructor(data) {
    this.data = data;
    this.content = byId("content");
    this.tables = [];
    this.boxes = ["noise", "same"].map((name) => byId(`with_${name}`));
    for (const box of this.boxes)
      box.addEventListener("change", () => this.tables.forEach((table) => table.fill()));
    byId("what").textContent =
      `from A (${data.a.join(", ")}) to B (${data.b.join(", ")})`;
    this.content.append(element("p", { className: "note dim", textContent: this.about() }));
    for (const note of data.notes.length ? ["Not compared, because a recording lacks it:",
      ...data.notes] : [])
      this.content.append(element("p", { className: "note", textContent: note }));
    for (const [name, section] of Object.entries(diffSections))
      this.showSection(name, section, data.rows.filter((row) => row.section === name));
  }

  isWanted(row) {
    const [noise, same] = this.boxes;
    return (noise.checked || row.note !== "noise") && (same.checked || row.change_ns !== 0);
  }

  about() {
    const noise = this.data.rows.filter((row) => row.note === "noise" && row.change_ns);
    return this.data.a.length < 2 && this.data.b.length < 2 ?
      "Only one recording per side, so the noise is unknown; pass several (A1,A2 B1,B2)." :
      `Figures are means of a side's recordings. ${plural(noise.length, "change")} no larger ` +
      "than recordings of one side differ by: noise, shown on request.";
  }

  /* Returns why a section has no rows. */
  none(name) {
    return this.data.left_out.includes(name) ? "Not recorded, see above." :
      this.data.is_chosen ? "No change of the tasks, on the CPUs and in the time that the " +
        "options choose." : "No change.";
  }

  showSection(name, section, rows) {
    this.content.append(element("h2", { textContent: section.title }));
    if (!rows.some((row) => row.change_ns))
      this.content.append(element("p", { className: "dim", textContent: this.none(name) }));
    const columns = diffColumns(section);
    const made = table(columns, rows, { filter: true, mark: (row) => row.note,
      sortBy: columns.findIndex((column) => column.title === "change"),
      isWanted: (row) => this.isWanted(row) });
    this.tables.push(made);
    this.content.append(made);
  }
}

new ModeSwitch(() => {});
/** @type {any} */ (window).page = new DiffPage(JSON.parse(byId("data").textContent));
