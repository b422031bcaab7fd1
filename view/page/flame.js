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

/* A canvas with the root on top; a click zooms to a function. */
class FlameGraph {
  constructor(root, names, tip) {
    this.root = root;
    this.top = root;
    this.names = names;
    this.canvas = element("canvas", { id: "flame" });
    this.canvas.addEventListener("click", (event) => {
      this.top = this.at(event) ?? root;
      this.draw();
    });
    this.canvas.addEventListener("pointermove", (event) => {
      const node = this.at(event);
      tip(node && this.describe(node), event.clientX, event.clientY);
    });
    this.canvas.addEventListener("pointerleave", () => tip(null));
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }
  describe(node) {
    const name = node.parent ? this.names.whole(node.function) : "all";
    return `${name}\n${duration(node.total)} (${percent(node.total,
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
    const height = (above.length + Math.min(this.top.height, LEVELS.drawn)) *
      ROW.call + 2;
    this.canvas.style.height = `${height}px`;
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.font = FONT;
    this.places = [];
    above.forEach((node, i) => this.box(context, node, 0, i * ROW.call, width));
    this.drawNodes(context, above.length, width);
  }
  drawNodes(context, above, width) {
    const waiting = [{ node: this.top, x: 0, level: 0, width }];
    while (waiting.length) {
      const { node, x, level, width } = waiting.pop();
      const isLast = level === LEVELS.drawn - 1;
      this.box(context, node, x, (above + level) * ROW.call, width,
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
  box(context, node, x, y, width, more = "") {
    const label = (node.parent ? this.names.name(node.function) : "all") + more;
    this.places.push({ node, x, y, width });
    context.fillStyle = nameColor(label);
    context.fillRect(x, y, Math.max(0.5, width - 0.5), ROW.call - 1);
    const room = Math.floor((width - 6) / 6.3);
    if (room < 3)
      return;
    context.fillStyle = "#1b1d24";
    context.fillText(label.length > room ? `${label.slice(0, room - 1)}…` : label,
      x + 3, y + 11);
  }
}

/* Expandable lines; the slowest path is expanded at first. */
function treeLines(root, names) {
  const lines = element("div", { className: "tree" });
  lines.append(element("div", { className: "row dim" },
    ...["total", "", "itself", "calls"].map((title) =>
      element("span", { className: "number", textContent: title }))));
  root.children.forEach((child, i) =>
    addLine(lines, child, root.total, 0, names, i === 0));
  return lines;
}

function addLine(lines, node, all, depth, names, opens) {
  const name = element("span", { textContent:
    `${node.children.length ? "▸" : "·"} ${names.full(node.function)}` });
  name.style.paddingLeft = `${Math.min(depth, 64) * 14}px`;
  if (depth > 64)
    name.prepend(`[${depth}] `);
  const row = element("div", { className: "row" },
    ...[duration(node.total), percent(node.total, all), duration(node.self),
      calls(node.calls)].map((text) =>
      element("span", { className: "number", textContent: text })), name);
  const below = element("div");
  const open = () => {
    name.textContent = name.textContent.replace("▸", "▾");
    node.children.forEach((child, i) =>
      addLine(below, child, all, depth + 1, names,
        i === 0 && opens && child.total > all / 50 && depth < 12));
  };
  const close = () => {
    name.textContent = name.textContent.replace("▾", "▸");
    below.replaceChildren();
  };
  row.addEventListener("click", () => below.hasChildNodes() ? close() : open());
  lines.append(row, below);
  if (opens)
    open();
}
