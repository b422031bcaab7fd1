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
  context.fillStyle = "#fff";
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
  context.fillStyle = "#eef0f4";
  eachStep(timeline, (x) => context.fillRect(Math.round(x), TOP, 1, height));
}

function drawTimes(timeline, width) {
  const { context, view } = timeline;
  context.fillStyle = "#f3f4f7";
  context.fillRect(0, AXIS.map, width, AXIS.times);
  context.fillStyle = "#4a5060";
  context.fillText(duration(view.to - view.from), 8, AXIS.map + 15);
  eachStep(timeline, (x, at, step) => {
    context.fillRect(Math.round(x), AXIS.map, 1, AXIS.times);
    const label = moment(at, step);
    if (x + 4 + context.measureText(label).width < width)
      context.fillText(label, x + 4, AXIS.map + 15);
  });
  context.fillStyle = "#d8dbe2";
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
  context.fillStyle = "#23262e18";
  context.fillRect(width - 9, TOP, 9, seen);
  context.fillStyle = "#23262e70";
  context.fillRect(width - 8, TOP + scroll * part, 7, Math.max(16, seen * part));
}

/* Draws the whole recording, with the visible window. */
function drawMap(timeline, width) {
  const { context, map, view, begin, end } = timeline;
  const x = (ns) => NAMES_WIDTH + (ns - begin) / (end - begin) * timeline.width;
  context.fillStyle = "#e9ebf1";
  context.fillRect(0, 0, width, AXIS.map);
  const height = (AXIS.map - 6) / Math.max(1, map?.length ?? 1);
  (map ?? []).forEach(({ slices }, i) => {
    context.fillStyle = "#8fb0e6";
    for (let at = 0; at < slices.length; at += SLICE.numbers)
      context.fillRect(x(slices[at]), 3 + i * height,
        Math.max(0.5, x(slices[at] + slices[at + SLICE.busy]) - x(slices[at])),
        height - 1);
  });
  context.fillStyle = "#1f253340";
  context.fillRect(NAMES_WIDTH, 0, x(view.from) - NAMES_WIDTH, AXIS.map);
  context.fillRect(x(view.to), 0, width - x(view.to), AXIS.map);
  context.strokeStyle = "#2f5fd0";
  context.strokeRect(x(view.from), 0.5, Math.max(2, x(view.to) - x(view.from)),
    AXIS.map - 1);
  context.fillStyle = "#4a5060";
  context.fillText(`all: ${duration(end - begin)}`, 8, 17);
}

function drawRow(timeline, row, width) {
  const { context } = timeline;
  const y = timeline.y(row);
  if (row.kind === "head") {
    context.fillStyle = "#f3f4f7";
    context.fillRect(0, y, width, row.height);
    context.fillStyle = "#23262e";
    context.fillText(row.label, 8, y + 14);
    return;
  }
  context.save();
  context.beginPath();
  context.rect(NAMES_WIDTH, TOP, width, timeline.canvas.clientHeight);
  context.clip();
  drawSlices(timeline, row, y);
  context.restore();
  context.fillStyle = timeline.selection?.thread === row.number &&
    row.number !== undefined ? "#2f5fd0" : "#4a5060";
  context.fillText(row.label.slice(0, 28), 16, y + row.height / 2 + 4);
}

function drawSlices(timeline, row, y) {
  const slices = timeline.loaded.get(row.lane)?.slices ?? [];
  const isStack = row.kind === "stack";
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

/* Draws arrows from wakers to woken threads if both are visible. */
function drawArrows(timeline, rows) {
  const { context } = timeline;
  const rowOf = new Map();
  for (const row of rows)
    if (row.kind === "state")
      rowOf.set(timeline.recording.threads[row.number].tid, row);
  context.strokeStyle = context.fillStyle = "#5a3fa0b0";
  let left = 300;
  for (const row of rowOf.values()) {
    const slices = timeline.loaded.get(row.lane)?.slices ?? [];
    for (let at = 0; at < slices.length && left; at += SLICE.numbers) {
      const end = slices[at] + slices[at + SLICE.length];
      const waker = rowOf.get(slices[at + SLICE.waker]);
      if (slices[at + SLICE.name] !== STATE.asleep || !waker || waker === row ||
          slices[at + SLICE.count] > 1 || end < timeline.view.from ||
          end > timeline.view.to)
        continue;
      left--;
      drawArrow(context, timeline.x(end), timeline.y(waker) + ROW.state / 2,
        timeline.y(row) + ROW.state / 2);
    }
  }
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
  context.fillStyle = "#2f5fd016";
  context.fillRect(from, TOP, Math.max(1, to - from), height);
  context.fillStyle = "#2f5fd0";
  context.fillRect(from, TOP, 1, height);
  context.fillRect(to, TOP, 1, height);
}
