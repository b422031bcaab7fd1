/* SPDX-License-Identifier: MIT */
/* Draws the timeline. */

const FONT = "11px \"DejaVu Sans Mono\", ui-monospace, monospace";

function drawTimeline(timeline) {
  const { canvas, context } = timeline;
  const scale = window.devicePixelRatio;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== width * scale || canvas.height !== height * scale) {
    canvas.width = width * scale;
    canvas.height = height * scale;
  }
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.font = FONT;
  context.fillStyle = theme.paper;
  context.fillRect(0, 0, width, height);
  drawGrid(timeline, width, height);
  const rows = timeline.visibleRows();
  for (const row of rows)
    drawRow(timeline, row, width);
  drawArrows(timeline, rows);
  drawSelection(timeline, height);
  drawMap(timeline, width);
  drawTimes(timeline, width);
  drawScroll(timeline, width, height);
}

/* Returns a round step between two labelled times. */
function niceStep(ns) {
  const power = 10 ** Math.floor(Math.log10(ns));
  return power * ([1, 2, 5].find((step) => step * power >= ns) ?? 10);
}

function eachStep(timeline, draw) {
  const step = niceStep(timeline.pixel * 110);
  for (let at = Math.ceil(timeline.view.from / step) * step; at < timeline.view.to;
    at += step)
    draw(timeline.x(at), at, step);
}

function drawGrid(timeline, width, height) {
  const { context } = timeline;
  context.fillStyle = theme.grid;
  eachStep(timeline, (x) => context.fillRect(Math.round(x), TOP, 1, height));
}

function drawTimes(timeline, width) {
  const { context, view } = timeline;
  context.fillStyle = theme.soft;
  context.fillRect(0, AXIS.map, width, AXIS.times);
  context.fillStyle = theme.axis;
  context.fillText(duration(view.to - view.from), 8, AXIS.map + 15);
  eachStep(timeline, (x, at, step) => {
    context.fillRect(Math.round(x), AXIS.map, 1, AXIS.times);
    const label = moment(at, step);
    if (x + 4 + context.measureText(label).width < width)
      context.fillText(label, x + 4, AXIS.map + 15);
  });
  context.fillStyle = theme.line;
  context.fillRect(0, TOP - 1, width, 1);
  context.fillRect(NAMES_WIDTH - 1, 0, 1, timeline.canvas.clientHeight);
}

/* Draws the position of the visible rows, unless all are visible. */
function drawScroll(timeline, width, height) {
  const { context, scroll } = timeline;
  const seen = height - TOP;
  const part = seen / timeline.height;
  if (part >= 1)
    return;
  context.fillStyle = theme.shade;
  context.fillRect(width - 9, TOP, 9, seen);
  context.fillStyle = theme.dim;
  context.fillRect(width - 8, TOP + scroll * part, 7, Math.max(16, seen * part));
}

/* Draws the whole recording, with the visible window. */
function drawMap(timeline, width) {
  const { context, map, view, begin, end } = timeline;
  const x = (ns) => NAMES_WIDTH + (ns - begin) / (end - begin) * timeline.width;
  context.fillStyle = theme.map;
  context.fillRect(0, 0, width, AXIS.map);
  const height = (AXIS.map - 6) / Math.max(1, map?.length ?? 1);
  (map ?? []).forEach(({ slices }, i) => {
    context.fillStyle = theme.busy;
    for (let at = 0; at < slices.length; at += SLICE.numbers)
      context.fillRect(x(slices[at]), 3 + i * height,
        Math.max(0.5, x(slices[at] + slices[at + SLICE.busy]) - x(slices[at])),
        height - 1);
  });
  context.fillStyle = theme.shade;
  context.fillRect(NAMES_WIDTH, 0, x(view.from) - NAMES_WIDTH, AXIS.map);
  context.fillRect(x(view.to), 0, width - x(view.to), AXIS.map);
  context.strokeStyle = theme.accent;
  context.strokeRect(x(view.from), 0.5, Math.max(2, x(view.to) - x(view.from)),
    AXIS.map - 1);
  context.fillStyle = theme.axis;
  context.fillText(`all: ${duration(end - begin)}`, 8, 17);
}

function drawRow(timeline, row, width) {
  const { context } = timeline;
  const y = timeline.y(row);
  if (row.kind === "head" || row.kind === "none") {
    drawHead(timeline, row, y, width);
    return;
  }
  context.save();
  context.beginPath();
  context.rect(NAMES_WIDTH, TOP, width, timeline.canvas.clientHeight);
  context.clip();
  drawSlices(timeline, row, y);
  context.restore();
  context.fillStyle = isMarked(timeline, row) || row.kind === "more" ? theme.accent : theme.axis;
  context.fillText(row.label.length > 28 ? `${row.label.slice(0, 27)}…` : row.label, 16,
    y + row.height / 2 + 4);
  if (row.kind === "state")
    drawPin(timeline, row, y);
  if (row === timeline.cursorRow) {
    context.strokeStyle = theme.accent;
    context.strokeRect(1.5, y - 0.5, NAMES_WIDTH - 4, row.height + 1);
  }
}

/* Returns whether the selection is of the row's thread. */
function isMarked({ selection }, row) {
  return row.number !== undefined && selection?.thread === row.number;
}

function drawHead(timeline, row, y, width) {
  const { context } = timeline;
  context.fillStyle = theme.soft;
  context.fillRect(0, y, width, row.height);
  context.fillStyle = row === timeline.cursorRow ? theme.accent : theme.text;
  context.fillText(row.label, 8, y + 14);
  if (!row.about)
    return;
  context.fillStyle = theme.dim;
  context.fillText(row.about, Math.max(NAMES_WIDTH + 6,
    20 + context.measureText(row.label).width), y + 14);
}

/* Draws whether a thread is pinned: a click there changes it. */
function drawPin(timeline, row, y) {
  const { context } = timeline;
  const isPinned = timeline.choice.pins.has(row.number);
  context.fillStyle = isPinned ? theme.accent : theme.dim;
  context.fillText(isPinned ? "★" : "☆", PIN_X, y + row.height - 4);
}

function drawSlices(timeline, row, y) {
  const slices = timeline.loaded.get(row.track)?.slices ?? [];
  const isStack = isCalls(row.kind);
  const height = isStack ? ROW.call - 1 : row.height;
  const bottom = timeline.canvas.clientHeight;
  const { from, to } = timeline.view;
  for (let at = 0; at < slices.length; at += SLICE.numbers) {
    const begin = slices[at];
    const end = begin + slices[at + SLICE.length];
    const top = y + (isStack ? slices[at + SLICE.depth] * ROW.call : 0);
    if (end < from || begin > to || top > bottom || top + height < TOP)
      continue;
    const x = Math.max(timeline.x(begin), NAMES_WIDTH);
    const width = Math.min(timeline.x(end), timeline.canvas.clientWidth) - x;
    timeline.painter.slice(row.kind, slices, at, x, top,
      width > 3 ? width - 0.5 : width, height);
  }
}

const ARROWS_MOST = 300;

/* Returns the wake-ups whose sleeps end in the window: the woken thread's row,
 * the waker's, if it is visible, and whether one of them is selected.
 */
function wakeUps(timeline, rows) {
  const states = rows.filter((row) => row.kind === "state");
  const { threads } = timeline.recording;
  const rowOf = new Map(states.map((row) => [threads[row.number].tid, row]));
  const { selection, view } = timeline;
  const tid = threads[selection?.thread]?.tid;
  const found = [];
  for (const row of states) {
    const slices = timeline.loaded.get(row.track)?.slices ?? [];
    for (let at = 0; at < slices.length; at += SLICE.numbers) {
      const end = slices[at] + slices[at + SLICE.length];
      const waker = slices[at + SLICE.waker];
      if (slices[at + SLICE.name] !== STATE.asleep || waker < 0 ||
          slices[at + SLICE.count] > 1 || end < view.from || end > view.to ||
          rowOf.get(waker) === row)
        continue;
      const isSelected = tid !== undefined && end >= selection.from && slices[at] <= selection.to &&
        (row.number === selection.thread || waker === tid);
      if (isSelected || rowOf.has(waker))
        found.push({ at: end, row, waker, wakerRow: rowOf.get(waker), isSelected });
    }
  }
  return found;
}

/* Draws arrows from wakers to woken threads if both are visible; those of the
 * selection are marked and have a label, also if the waker is not visible.
 */
function drawArrows(timeline, rows) {
  const { context } = timeline;
  const found = wakeUps(timeline, rows);
  const drawn = found.filter((wakeUp) => wakeUp.isSelected);
  for (const wakeUp of found)
    if (!wakeUp.isSelected && drawn.length < ARROWS_MOST)
      drawn.unshift(wakeUp);
  timeline.arrows = drawn;
  for (const { at, row, waker, wakerRow, isSelected } of drawn) {
    const to = timeline.y(row) + ROW.state / 2;
    const x = timeline.x(at);
    context.strokeStyle = context.fillStyle = isSelected ? theme.marked : theme.arrow;
    context.lineWidth = isSelected ? 2 : 1;
    drawArrow(context, x, wakerRow ? timeline.y(wakerRow) + ROW.state / 2 : to - 22, to);
    if (isSelected)
      context.fillText(`woken by ${wakerLabel(timeline.recording, waker) || "?"}`, x + 6,
        wakerRow ? (timeline.y(wakerRow) + to) / 2 : to - 14);
  }
  context.lineWidth = 1;
}

function drawArrow(context, x, from, to) {
  const way = Math.sign(to - from);
  context.beginPath();
  context.moveTo(x, from);
  context.lineTo(x, to);
  context.stroke();
  context.beginPath();
  context.moveTo(x, to);
  context.lineTo(x - 3, to - 6 * way);
  context.lineTo(x + 3, to - 6 * way);
  context.fill();
}

function drawSelection(timeline, height) {
  const { context, selection } = timeline;
  if (!selection)
    return;
  const from = Math.max(timeline.x(selection.from), NAMES_WIDTH);
  const to = Math.min(timeline.x(selection.to), timeline.canvas.clientWidth);
  if (to < from)
    return;
  context.fillStyle = theme.shade;
  context.fillRect(from, TOP, Math.max(1, to - from), height);
  context.fillStyle = theme.accent;
  context.fillRect(from, TOP, 1, height);
  context.fillRect(to, TOP, 1, height);
}
