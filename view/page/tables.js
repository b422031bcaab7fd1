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
