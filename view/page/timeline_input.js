/* SPDX-License-Identifier: MIT */
/* Mouse and keyboard input for the timeline. */

class TimelineInput {
  constructor(timeline) {
    this.timeline = timeline;
    this.drag = null;
    this.pointer = { x: NAMES_WIDTH + 100, y: 0 };
    const { canvas } = timeline;
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointerdown", (event) => this.down(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointerleave", () => timeline.events.hovered(null));
    canvas.addEventListener("dblclick", () => this.fit());
    document.addEventListener("keydown", (event) => this.key(event));
  }
  wheel(event) {
    const { timeline } = this;
    event.preventDefault();
    if (event.offsetX < NAMES_WIDTH)
      timeline.scrollTo(timeline.scroll + event.deltaY);
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
      timeline.move(event.shiftKey ? event.deltaY || event.deltaX : event.deltaX);
    else
      timeline.zoom(Math.exp(event.deltaY * 0.0015), event.offsetX);
  }
  down(event) {
    const { timeline } = this;
    const { offsetX: x, offsetY: y } = event;
    timeline.canvas.focus();
    timeline.canvas.setPointerCapture(event.pointerId);
    this.drag = { x, y, from: timeline.time(x), hasMoved: false,
      selects: event.shiftKey || (y >= AXIS.map && y < TOP), isMap: y < AXIS.map };
  }
  moved(event) {
    const { timeline, drag } = this;
    const { offsetX: x, offsetY: y } = event;
    this.pointer = { x, y };
    if (!drag) {
      timeline.events.hovered({ ...timeline.at(x, y), x: event.clientX, y: event.clientY });
      return;
    }
    if (!drag.hasMoved && Math.abs(x - drag.x) + Math.abs(y - drag.y) < 4)
      return;
    drag.hasMoved = true;
    if (drag.isMap) {
      this.goOnMap(x);
    } else if (drag.selects) {
      const [from, to] = [drag.from, timeline.time(x)].sort((a, b) => a - b);
      timeline.selection = { from, to };
      timeline.redraw();
    } else {
      timeline.move(drag.x - x);
      timeline.scrollTo(timeline.scroll + drag.y - y);
      drag.x = x;
      drag.y = y;
    }
  }
  goOnMap(x) {
    const { timeline } = this;
    const at = timeline.begin + (x - NAMES_WIDTH) / timeline.width *
      (timeline.end - timeline.begin);
    const half = (timeline.view.to - timeline.view.from) / 2;
    timeline.show(at - half, at + half);
  }
  up(event) {
    const { timeline, drag } = this;
    this.drag = null;
    if (!drag)
      return;
    if (drag.hasMoved && drag.selects && !drag.isMap)
      timeline.select(timeline.selection);
    else if (!drag.hasMoved)
      this.click(event.offsetX, event.offsetY);
  }
  click(x, y) {
    const { timeline } = this;
    if (y < AXIS.map) {
      this.goOnMap(x);
      return;
    }
    const { row, slice } = timeline.at(x, y);
    if (row?.group !== undefined)
      timeline.toggleGroup(row);
    else if (x < NAMES_WIDTH && x >= PIN_X && row?.kind === "state")
      timeline.pin(row.number);
    else if (x < NAMES_WIDTH && row?.number !== undefined)
      timeline.toggle(row.number);
    else if (slice)
      timeline.selectSlice(row, slice);
  }
  fit() {
    const { selection } = this.timeline;
    if (selection)
      this.timeline.goTo(selection.from, selection.to);
  }
  /* Keys work wherever the focus is, except where they are typed or have another
   * meaning. Arrows and Enter work only if the timeline or nothing has the focus.
   */
  key(event) {
    const { target } = event;
    const action = this.actions()[event.key.length === 1 ?
      event.key.toLowerCase() : event.key];
    if (!action || !isShortcut(event))
      return;
    const isOurs = target === this.timeline.canvas || target === document.body;
    if (!isOurs && (event.key.startsWith("Arrow") || event.key === "Enter"))
      return;
    event.preventDefault();
    action();
  }
  actions() {
    const { timeline, pointer } = this;
    const x = Math.max(pointer.x, NAMES_WIDTH);
    const step = timeline.width / 6;
    return {
      w: () => timeline.zoom(0.7, x), s: () => timeline.zoom(1 / 0.7, x),
      a: () => timeline.move(-step), d: () => timeline.move(step),
      ArrowLeft: () => timeline.move(-step), ArrowRight: () => timeline.move(step),
      ArrowUp: () => timeline.scrollTo(timeline.scroll - 60),
      ArrowDown: () => timeline.scrollTo(timeline.scroll + 60),
      j: () => this.moveCursor(1), k: () => this.moveCursor(-1),
      ",": () => this.nextSlice(-1), ".": () => this.nextSlice(1),
      Enter: () => this.enter(), p: () => this.pin(),
      f: () => this.fit(), 0: () => timeline.showAll(),
      Escape: () => timeline.select(null),
    };
  }
  /* Moves the cursor to the next row that has a name. */
  moveCursor(by) {
    const { timeline } = this;
    const last = timeline.rows.length - 1;
    let at = timeline.rows.indexOf(timeline.cursorRow) + by;
    while (timeline.rows[at] && !timeline.rows[at].label)
      at += by;
    timeline.setCursor(timeline.rows[Math.min(Math.max(at, 0), last)]);
  }
  enter() {
    const { timeline } = this;
    const row = timeline.cursorRow;
    if (row?.group !== undefined)
      timeline.toggleGroup(row);
    else if (row?.number !== undefined)
      timeline.toggle(row.number);
  }
  pin() {
    const { timeline } = this;
    const number = timeline.cursorRow?.number ?? timeline.selection?.thread;
    if (number !== undefined)
      timeline.pin(number);
  }
  /* Selects the row's next or previous slice, after the selected one. */
  nextSlice(by) {
    const { timeline } = this;
    const row = timeline.cursorRow ?? timeline.rows.find((other) => other.kind === "state");
    const slices = timeline.loaded.get(row?.track)?.slices ?? [];
    const isHere = timeline.selection?.slice && timeline.selection.row === rowNumber(row);
    const at = isHere ? timeline.selection.from : by > 0 ? timeline.view.from - 1 : timeline.view.to;
    let best = -1;
    for (let i = 0; i < slices.length; i += SLICE.numbers)
      if (slices[i + SLICE.depth] === 0 && (by > 0 ? slices[i] > at : slices[i] < at) &&
          (best < 0 || (by > 0 ? slices[i] < slices[best] : slices[i] > slices[best])))
        best = i;
    if (best < 0)
      return;
    const slice = slices.slice(best, best + SLICE.numbers);
    if (slice[0] > timeline.view.to || slice[0] + slice[1] < timeline.view.from)
      timeline.show(slice[0] - timeline.pixel * 100, slice[0] + timeline.pixel * (timeline.width - 100));
    timeline.selectSlice(row, slice);
  }
}

/* Returns the number of the row's thread or CPU. */
function rowNumber(row) {
  return row?.track === undefined ? undefined : Math.floor(row.track / TRACK.kinds);
}
