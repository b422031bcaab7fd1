/* SPDX-License-Identifier: MIT */
/* A selection's call tree: as a flame graph, and as expandable lines. */

const TREE = { parent: 0, function: 1, calls: 2, self: 3, total: 4, numbers: 5 };

/* Returns the nodes of an answer's tree, with their children, longest first. */
function treeNodes(tree) {
  const nodes = [];
  for (let i = 0; i < tree.length; i += TREE.numbers) {
    const node = { function: tree[i + TREE.function], calls: tree[i + TREE.calls],
      self: tree[i + TREE.self], total: tree[i + TREE.total], children: [],
      parent: nodes[tree[i]] ?? null };
    node.parent?.children.push(node);
    nodes.push(node);
  }
  for (const node of nodes)
    node.children.sort((a, b) => b.total - a.total);
  setHeights(nodes);
  return nodes;
}

/* Maximum number of levels in a flame graph, since a canvas has a maximum
 * height. The last level shows how many are below it; a click there makes it
 * the top.
 */
const LEVELS = { drawn: 512, above: 16 };

/* Sets each node's height, in levels; children follow their parents. */
function setHeights(nodes) {
  for (const node of nodes)
    node.height = 1;
  for (let i = nodes.length; i-- > 0;) {
    const { parent, height } = nodes[i];
    if (parent)
      parent.height = Math.max(parent.height, height + 1);
  }
}

/* A canvas with the root on top, or at the bottom (@isUp); a click zooms to a
 * function. @label names it for screen readers, which get the chosen function's
 * text; the arrow keys choose.
 */
class FlameGraph {
  constructor(root, names, tip, { isUp = false, label = "Flame graph" } = {}) {
    this.root = root;
    this.top = root;
    this.names = names;
    this.tip = tip;
    this.isUp = isUp;
    this.label = label;
    this.chosen = null;	/* by keys */
    this.places = [];
    this.canvas = element("canvas", { className: "flame", tabIndex: 0 });
    this.canvas.setAttribute("role", "img");
    this.canvas.addEventListener("click", (event) => this.zoom(this.at(event) ?? root));
    this.canvas.addEventListener("pointermove", (event) => {
      const node = this.at(event);
      tip(node && this.describe(node), event.clientX, event.clientY, this.canvas);
    });
    this.canvas.addEventListener("pointerleave", () => tip(null));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => tip(null));
    this.describeCanvas();
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }
  describeCanvas() {
    this.canvas.setAttribute("aria-label", `${this.label}: ${
      this.describe(this.chosen ?? this.top)}. Arrow keys choose, Enter zooms.`);
  }
  zoom(node) {
    this.top = node;
    this.draw();
  }
  /* Moves the choice: up and down among callers and callees, left and right
   * among those of one caller.
   */
  key(event) {
    const node = this.chosen ?? this.top;
    const among = node.parent?.children ?? [];
    const at = among.indexOf(node);
    const [toRoot, fromRoot] = this.isUp ? ["ArrowDown", "ArrowUp"] : ["ArrowUp", "ArrowDown"];
    const next = { [toRoot]: node.parent, [fromRoot]: node.children[0],
      ArrowLeft: among[at - 1], ArrowRight: among[at + 1], Enter: node, Escape: this.root };
    if (!(event.key in next))
      return;
    event.preventDefault();
    this.chosen = next[event.key] ?? node;
    if (event.key === "Enter" || event.key === "Escape")
      this.top = this.chosen;
    this.draw();
    this.describeCanvas();
    const place = this.places.find((other) => other.node === this.chosen);
    const { left, top } = this.canvas.getBoundingClientRect();
    if (place)
      this.tip(this.describe(this.chosen), left + place.x, top + place.y, this.canvas);
  }
  nameOf(node, how) {
    return node.function < 0 ? "all" : this.names[how](node.function);
  }
  describe(node) {
    return `${this.nameOf(node, "whole")}\n${duration(node.total)} (${percent(node.total,
      this.root.total)}), itself ${duration(node.self)}${
      node.calls ? `\n${plural(node.calls, "call")}` : ""}`;
  }
  at(event) {
    return this.places.find(({ x, y, width }) => event.offsetX >= x &&
      event.offsetX < x + width && event.offsetY >= y &&
      event.offsetY < y + ROW.call)?.node;
  }
  draw() {
    const above = [];
    for (let node = this.top.parent; node && above.length < LEVELS.above;
      node = node.parent)
      above.unshift(node);
    const scale = window.devicePixelRatio;
    const width = this.canvas.clientWidth;
    this.rows = above.length + Math.min(this.top.height, LEVELS.drawn);
    const height = this.rows * ROW.call + 2;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = FONT;
    this.places = [];
    above.forEach((node, i) => this.box(context, node, 0, i, width));
    this.drawNodes(context, above.length, width);
  }
  drawNodes(context, above, whole) {
    const waiting = [{ node: this.top, x: 0, level: 0, width: whole }];
    while (waiting.length) {
      const { node, x, level, width } = waiting.pop();
      const isLast = level === LEVELS.drawn - 1;
      this.box(context, node, x, above + level, width,
        isLast && node.height > 1 ? ` +${plural(node.height - 1, "level")}` : "");
      let at = x;
      for (const child of isLast ? [] : node.children) {
        const part = width * child.total / (node.total || 1);
        if (part >= 0.4)
          waiting.push({ node: child, x: at, level: level + 1, width: part });
        at += part;
      }
    }
  }
  box(context, node, x, row, width, more = "") {
    const y = (this.isUp ? this.rows - 1 - row : row) * ROW.call;
    const label = this.nameOf(node, "name") + more;
    this.places.push({ node, x, y, width });
    context.fillStyle = node.function < 0 ? codeColor("none", "") : this.names.color(node.function);
    context.fillRect(x, y, Math.max(0.5, width - 0.5), ROW.call - 1);
    if (node === this.chosen) {
      context.strokeStyle = theme.accent;
      context.lineWidth = 2;
      context.strokeRect(x + 1, y + 1, Math.max(1, width - 2.5), ROW.call - 3);
    }
    const room = Math.floor((width - 6) / 6.3);
    if (room < 3)
      return;
    context.fillStyle = INK.dark;
    context.fillText(label.length > room ? `${label.slice(0, room - 1)}…` : label,
      x + 3, y + 11);
  }
}

const TREE_LINES = { children: 200, opened: 12, indents: 64 };

/* Expandable lines, as a tree for keys and screen readers; the slowest path is
 * expanded at first. @look(function), if given, shows a function.
 */
function treeLines(root, names, { label = "Call tree", look = null } = {}) {
  const lines = element("div", { className: "tree" });
  const head = element("div", { className: "row dim" },
    ...["total", "", "itself", "calls"].map((title) =>
      element("span", { className: "number", textContent: title })));
  head.setAttribute("aria-hidden", "true");
  const items = element("div", { className: "items" });
  items.setAttribute("role", "tree");
  items.setAttribute("aria-label", label);
  addLines(items, root, { all: root.total, depth: 0, names, look, opens: true });
  items.querySelector("[role=treeitem]")?.setAttribute("tabindex", "0");
  items.addEventListener("keydown", (event) => treeKey(items, event));
  lines.append(head, items);
  return lines;
}

/* Adds lines for the callees of @node; only the longest TREE_LINES.children at
 * first.
 */
function addLines(lines, node, how, from = 0) {
  const to = from + TREE_LINES.children;
  node.children.slice(from, to).forEach((child, i) =>
    addLine(lines, child, { ...how, opens: how.opens && from + i === 0 &&
      (how.depth === 0 || (child.total > how.all / 50 && how.depth < TREE_LINES.opened)) }));
  if (node.children.length <= to)
    return;
  const more = momentLink(`${plural(node.children.length - to, "more function")}`, () => {
    more.remove();
    addLines(lines, node, { ...how, opens: false }, to);
  });
  lines.append(more);
}

function addLine(lines, node, how) {
  const { all, depth, names, look, opens } = how;
  const mark = element("span", { className: "mark", textContent: node.children.length ? "▸" : "·" });
  const name = element("span", { className: "name" }, depth > TREE_LINES.indents ? `[${depth}] ` : "",
    mark, ` ${names.full(node.function)} `);
  name.style.paddingLeft = `${Math.min(depth, TREE_LINES.indents) * 14}px`;
  name.title = names.whole(node.function);
  if (look) {
    const go = element("button", { className: "look", textContent: "⇅", tabIndex: -1,
      title: "Its callers, callees and instructions (O)" });
    go.setAttribute("aria-label", `Callers and callees of ${names.name(node.function)}`);
    go.addEventListener("click", (event) => {
      event.stopPropagation();
      look(node.function);
    });
    name.append(go);
  }
  const row = element("div", { className: "row", tabIndex: -1 },
    ...[duration(node.total), percent(node.total, all), duration(node.self),
      calls(node.calls)].map((text) =>
      element("span", { className: "number", textContent: text })), name);
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", String(depth + 1));
  row.setAttribute("aria-label", `${names.full(node.function)}, ${duration(node.total)}, ${
    percent(node.total, all)}, itself ${duration(node.self)}`);
  const below = element("div");
  below.setAttribute("role", "group");
  const setOpen = (isOpen) => {
    if (!node.children.length)
      return;
    mark.textContent = isOpen ? "▾" : "▸";
    row.setAttribute("aria-expanded", String(isOpen));
    if (isOpen)
      addLines(below, node, { ...how, depth: depth + 1 });
    else
      below.replaceChildren();
  };
  const toggle = () => setOpen(!below.hasChildNodes());
  row.addEventListener("click", toggle);
  row.addEventListener("treetoggle", toggle);
  row.addEventListener("treelook", () => look?.(node.function));
  lines.append(row, below);
  setOpen(opens);
}

/* Arrow keys, as in the pattern for trees: up, down, open, close. */
function treeKey(items, event) {
  const rows = [...items.querySelectorAll("[role=treeitem]")];
  const at = rows.indexOf(event.target);
  const row = rows[at];
  if (!row)
    return;
  const state = row.getAttribute("aria-expanded");
  const level = Number(row.getAttribute("aria-level"));
  const parent = () => rows.slice(0, at).findLast((other) =>
    Number(other.getAttribute("aria-level")) < level);
  const toggle = () => row.dispatchEvent(new Event("treetoggle"));
  const actions = {
    ArrowDown: () => rows[at + 1], ArrowUp: () => rows[at - 1],
    Home: () => rows[0], End: () => rows.at(-1),
    ArrowRight: () => state === "false" ? toggle() : state === "true" ? rows[at + 1] : null,
    ArrowLeft: () => state === "true" ? toggle() : parent(),
    Enter: toggle, " ": toggle, o: () => row.dispatchEvent(new Event("treelook")),
  };
  if (!(event.key in actions))
    return;
  event.preventDefault();
  const next = actions[event.key]();
  if (!(next instanceof HTMLElement))
    return;
  row.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
