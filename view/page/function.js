/* SPDX-License-Identifier: MIT */
/* One function of a profile: its callers and callees (a sandwich of two trees),
 * and its instructions.
 */

/* Adds a path below @node: an element for each function, with its time. */
function childOf(node, called) {
  let child = node.byFunction.get(called);
  if (!child) {
    child = newNode(called, node);
    node.byFunction.set(called, child);
    node.children.push(child);
  }
  return child;
}

function newNode(called, parent) {
  return { function: called, parent, calls: 0, self: 0, total: 0, children: [],
    byFunction: new Map(), height: 1 };
}

/* Sorts a made tree, longest first, and returns it with its nodes' heights. */
function finishTree(root) {
  const nodes = [root];
  for (const node of nodes) {
    node.children.sort((a, b) => b.total - a.total);
    nodes.push(...node.children);
  }
  setHeights(nodes);
  return root;
}

/* Returns the tree from the bottom up: below each function its callers, with
 * the time that the function at the top took itself when it was called so.
 */
function invertedTree(nodes) {
  const root = newNode(-1, null);
  for (const node of nodes) {
    if (!node.self || !node.parent)
      continue;
    root.total += node.self;
    let at = root;
    for (let above = node; above.parent; above = above.parent) {
      at = childOf(at, above.function);
      at.total += node.self;
      if (above === node) {
        at.calls += node.calls;
        at.self += node.self;
      }
    }
  }
  return finishTree(root);
}

/* Returns the nodes of a function that are in no other call of it. */
function outermost(nodes, called) {
  return nodes.filter((node) => {
    if (node.function !== called || !node.parent)
      return false;
    for (let above = node.parent; above; above = above.parent)
      if (above.function === called && above.parent)
        return false;
    return true;
  });
}

/* Returns the function's callees, as one tree. */
function calleesTree(nodes, called) {
  const root = newNode(called, null);
  const merge = (from, to) => {
    const waiting = [[from, to]];
    while (waiting.length) {
      const [source, target] = waiting.pop();
      target.calls += source.calls;
      target.self += source.self;
      target.total += source.total;
      for (const child of source.children)
        waiting.push([child, childOf(target, child.function)]);
    }
  };
  for (const node of outermost(nodes, called))
    merge(node, root);
  return finishTree(root);
}

/* Returns the function's callers, as one tree: below each caller its callers,
 * with the function's time when it was called so.
 */
function callersTree(nodes, called) {
  const root = newNode(called, null);
  for (const node of outermost(nodes, called)) {
    root.total += node.total;
    root.self += node.self;
    root.calls += node.calls;
    let at = root;
    for (let above = node.parent; above?.parent; above = above.parent) {
      at = childOf(at, above.function);
      at.total += node.total;
      at.calls += node.calls;
    }
  }
  return finishTree(root);
}

/* The panel of a function. @page: names, tip, look(function), annotate(). */
function functionPanel(profile, called, page) {
  const nodes = treeNodes(profile.tree);
  const callees = calleesTree(nodes, called);
  const callers = callersTree(nodes, called);
  const made = element("div", { id: "sandwich" },
    element("h2", { textContent: page.names.whole(called) }),
    element("p", {}, `${duration(callees.total)} with its callees, ${duration(callees.self)} itself` +
      `${callees.calls ? `, ${plural(callees.calls, "call")}` : ""}. `,
    momentLink("Go to its next call", () => page.look(called))));
  if (!callees.total && !callees.calls) {
    made.append(element("p", { textContent: page.none(page.names.name(called)) }));
  } else {
    made.append(element("h3", { textContent: "Called by" }),
      callers.children.length ?
        new FlameGraph(callers, page.names, page.tip, { isUp: true, label: "Callers" }).canvas :
        element("p", { textContent: "Nothing that was traced called it." }),
      element("h3", { textContent: "It called" }),
      new FlameGraph(callees, page.names, page.tip, { label: "Callees" }).canvas,
      element("div", { className: "columns" },
        element("div", {}, element("h3", { textContent: "Callers, with its time" }),
          treeLines(callers, page.names, { label: "Callers", look: page.choose })),
        element("div", {}, element("h3", { textContent: "Callees" }),
          treeLines(callees, page.names, { label: "Callees", look: page.choose }))));
  }
  made.append(annotationPart(called, page));
  return made;
}

/* Instructions are decoded on request: that takes as long as the trace. */
function annotationPart(called, page) {
  const part = element("section", { id: "annotation" },
    element("h3", { textContent: "Its instructions" }));
  const show = element("button", { textContent: "Count its instructions", id: "annotate" });
  const about = element("p", { className: "dim", textContent:
    "Reads the trace of this interval once more." });
  show.addEventListener("click", async () => {
    show.disabled = true;
    about.textContent = "Decoding …";
    try {
      const { annotation } = await page.annotate(called);
      part.replaceChildren(part.firstChild, annotationOf(annotation, page));
    } catch (error) {
      show.disabled = false;
      about.textContent = error.message;
    }
  });
  part.append(show, about);
  return part;
}

/* Returns the instructions as tables, one for each function of the name, below
 * their source lines.
 */
function annotationOf(rows, page) {
  if (!rows.length)
    return element("p", { textContent: page.none("It did not run") });
  const made = element("div", {}, element("p", { className: "dim", textContent:
    "Of all threads, in this interval. Counts are exact; the time of a block of code is split " +
    "evenly among its instructions." }));
  const codes = new Map();
  for (const row of rows) {
    const key = `${row.function} ${row.module}${row.is_cold ? " (cold part)" : ""}`;
    codes.set(key, [...codes.get(key) ?? [], row]);
  }
  for (const [key, list] of codes)
    made.append(annotationTable(key, list));
  return made;
}

function annotationTable(title, rows) {
  const all = rows.reduce((sum, row) => sum + row.time_ns, 0);
  const body = element("tbody");
  let place = "";
  for (const row of rows) {
    const here = row.line ? `${row.file}:${row.line}` : "";
    if (here !== place) {
      place = here;
      const cell = element("td", { colSpan: 5, className: "source", textContent:
        `${here.split("/").at(-1) || "no source line"}${row.inlined ? ` in inlined ${row.inlined}` : ""}  ${
          row.source ?? ""}`, title: here });
      body.append(element("tr", {}, cell));
    }
    const branch = row.taken !== null && row.taken !== undefined ?
      `taken ${count(row.taken)}, not ${count(row.not_taken)}` : "";
    const line = element("tr", { className: row.count ? "" : "dim" },
      ...[count(row.count), row.time_ns ? duration(row.time_ns) : "", percent(row.time_ns, all),
        `+${row.offset.toString(16)}`].map((textContent) => element("td", { textContent })),
      element("td", { className: "text", textContent:
        [row.instruction, row.target, branch].filter(Boolean).join("  ") }));
    body.append(line);
  }
  return element("table", { className: "instructions" },
    element("caption", { textContent: title }),
    element("thead", {}, element("tr", {}, ...["count", "time", "%", "offset", "instruction"].map((textContent) =>
      element("th", { textContent, scope: "col", className: textContent === "instruction" ? "text" : "" })))),
    body);
}
