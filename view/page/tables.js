/* SPDX-License-Identifier: MIT */
/* Tables that can be sorted by a click and filtered by a text. */

/* @columns: { title, text?: has names, bar?: has bars, value(row), show?(value,
 * row), order?(row): sort key, if not the value }; show may return a text or an
 * element. @mark returns a row's class, @isWanted whether it is shown now; the
 * element's fill() updates the rows.
 */
/** @typedef {{ title: string, text?: boolean, bar?: boolean, value: (row: any) => any,
 *   show?: (value: any, row: any) => any, order?: (row: any) => any }} Column
 */

/**
 * @param {Column[]} columns
 * @param {any[]} rows
 * @param {{ sortBy?: number, filter?: boolean, most?: number, mark?: (row: any) => string,
 *   isWanted?: (row: any) => boolean }} options
 */
function table(columns, rows, { sortBy = 0, filter = false, most = 500, mark = () => "",
                                isWanted = () => true } = {}) {
  const state = { column: sortBy, falling: !columns[sortBy].text, like: "" };
  const body = element("tbody");
  const heads = columns.map((column, i) => {
    const sort = element("button", { textContent: column.title, type: "button" });
    const head = element("th", { className: column.text || column.bar ? "text" : "", scope: "col" },
      column.title ? sort : null);
    head.addEventListener("click", () => {
      state.falling = state.column === i ? !state.falling : !column.text;
      state.column = i;
      fill();
    });
    return head;
  });
  const note = element("p", { className: "dim" });
  const fill = () => {
    const shown = sortedRows(columns, rows.filter(isWanted), state);
    body.replaceChildren(...shown.slice(0, most)
      .map((row) => tableRow(columns, row, mark(row))));
    heads.forEach((head, i) => {
      head.classList.toggle("sorted", i === state.column);
      if (i === state.column)
        head.setAttribute("aria-sort", state.falling ? "descending" : "ascending");
      else
        head.removeAttribute("aria-sort");
    });
    note.textContent = shown.length > most ? `${count(shown.length - most)} more: filter by name` :
      rows.length && !shown.length ? `None: ${plural(rows.length, "row")} ${
        rows.length === 1 ? "is" : "are"} left out by your filter.` : "";
  };
  fill();
  const made = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  return element("div", { fill }, filter ? filterField(state, fill) : null, made, note);
}

function filterField(state, fill) {
  const field = element("input", { className: "filter", type: "search",
    placeholder: "Filter by name", spellcheck: false });
  field.setAttribute("aria-label", "Filter the table by name");
  field.addEventListener("input", () => {
    state.like = field.value.toLowerCase();
    fill();
  });
  return field;
}

function sortedRows(columns, rows, { column, falling, like }) {
  const texts = columns.filter((one) => one.text);
  const shown = rows.filter((row) => !like ||
    texts.some((one) => String(one.value(row)).toLowerCase().includes(like)));
  const value = columns[column].order ?? columns[column].value;
  const sign = falling ? -1 : 1;
  return shown.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    return sign * (x < y ? -1 : x > y ? 1 : 0);
  });
}

function tableRow(columns, row, className) {
  return element("tr", { className }, ...columns.map((column) => {
    const value = column.value(row);
    const shown = column.show ? column.show(value, row) : value;
    const cell = element("td", { className: column.text ? "text" : "" });
    cell.append(shown);
    if (column.text)
      cell.title = String(value);
    return cell;
  }));
}

/* A link to a time in the timeline. */
function momentLink(label, go) {
  const link = element("button", { className: "moment", type: "button", textContent: label });
  link.addEventListener("click", go);
  return link;
}

/* The rows of reports that have no slices, each report with its title, and a
 * text for an empty one.
 */
const REPORTS = {
  block: ["I/O of block devices", "No block device was used"],
  spins: ["Waits of CPUs for other CPUs, without sleep", "No CPU waited for another one"],
  locks: ["Waits for locks", "No thread waited for a lock"],
  args: ["Calls of the functions of record --args", "No chosen function was called"],
};

/* Shows these rows, with the columns of `ktrace-hw report`. @goTo shows a time of
 * a thread.
 */
function reportsOf(recording, goTo) {
  const { reports, missing } = recording;
  if (!reports)
    return element("p", { textContent: "Not known before the whole recording is decoded." });
  return element("div", {}, ...Object.entries(REPORTS).map(([name, [title, none]]) =>
    element("section", { id: `report-${name}` }, element("h2", { textContent: title }),
      reports[name].length ? reportTable(recording, reports[name], goTo) :
        element("p", { textContent: missing[name] ?? `${none}.` }))));
}

/* Columns without any value are left out; one of a time leads to it. */
function reportTable(recording, rows, goTo) {
  const names = Object.keys(rows[0]).filter((name) => rows.some((row) => row[name]));
  const columns = names.map((name) => reportColumn(recording, name, rows, goTo));
  return table(columns, rows, { filter: true, most: 50,
    sortBy: Math.max(0, names.findIndex((name) => ["total_ns", "begin_s"].includes(name))) });
}

function reportColumn(recording, name, rows, goTo) {
  const value = (row) => row[name] ?? "";
  const thread = (row) => recording.threads.findIndex((one) => one.tid === row.tid);
  if (name === "begin_s")
    return { title: "at", value, show: (at, row) => {
      const begin = readBegin(recording, row);
      return momentLink(moment(begin, 1e3), () =>
        goTo(begin, begin + (row.wall_ns || 0), thread(row)));
    } };
  if (name.endsWith("_ns"))
    return { title: name.slice(0, -3).replaceAll("_", " "), value, show: duration };
  return { title: name.replaceAll("_", " "), value,
    text: rows.some((row) => typeof row[name] === "string") };
}

/* Returns when a call of record --args began, after the recording's start. */
function readBegin(recording, row) {
  const [seconds, part] = [Math.trunc(row.begin_s), row.begin_s % 1];
  return seconds * 1e9 - recording.first_ns + Math.round(part * 1e9);
}

/* Returns the row of report --args of a call of a thread; undefined if there is
 * none.
 */
function readCallOf(recording, tid, begin, called, names) {
  return recording.reports?.args.find((row) => row.tid === tid &&
    row.function === names.name(called) && Math.abs(readBegin(recording, row) - begin) <= 1);
}
