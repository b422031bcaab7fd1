/* SPDX-License-Identifier: MIT */
/* The timeline: a canvas with rows, and its visible window of time. */

const AXIS = { map: 26, times: 22 };
const TOP = AXIS.map + AXIS.times;
const SMALLEST_NS = 50;

class Timeline {
  constructor(canvas, source, events) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d", { alpha: false });
    this.source = source;
    this.events = events;	/* as main.js makes them */
    this.recording = null;
    this.view = { from: 0, to: 1 };
    this.scroll = 0;
    this.choice = new RowChoice();
    this.depths = new Map();
    this.loaded = new Map();	/* by track: from, to, pixel, slices */
    this.map = null;
    /** @type {Selected | null} */
    this.selection = null;
    this.arrows = [];	/* those drawn last */
    /** @type {Row | undefined} the row that keys act on */
    this.cursorRow = undefined;
    /** @type {Row[]} */
    this.rows = [];
    this.height = 0;
    this.isAsking = false;
    new ResizeObserver(() => this.redraw()).observe(canvas);
    new TimelineInput(this);
  }

  /* Receives new or more data, and lays out the rows again. */
  take(recording) {
    const isFirst = !this.recording;
    this.recording = recording;
    this.painter = new Painter(this.context, recording, this.source.names);
    this.begin = recording.begin_ns;
    this.end = recording.length_ns;
    if (isFirst)
      this.view = { from: this.begin, to: this.end };
    if (!this.hasToggled) {
      this.choice.open.clear();
      this.openBusiest();
    }
    this.loaded.clear();
    this.map = null;
    this.layOut();
  }
  /* Expands the busiest program thread at first. */
  openBusiest() {
    const rank = (thread) => thread.tid <= 0 ? -1 : busyTime(thread) +
      (isProgram(thread) ? this.recording.length_ns : 0);
    const { threads } = this.recording;
    const busiest = threads.reduce((best, thread, i) =>
      rank(thread) > rank(threads[best]) ? i : best, 0);
    if (threads.length)
      this.choice.open.add(busiest);
  }
  layOut() {
    const { cursorRow } = this;
    Object.assign(this, layOutRows(this.recording, this.choice, this.depths));
    this.cursorRow = cursorRow && this.rows.find((row) => row.kind === cursorRow.kind &&
      row.number === cursorRow.number && row.group === cursorRow.group && row.track === cursorRow.track);
    this.scrollTo(this.scroll);
    this.events.laidOut();
  }

  get width() {
    return this.canvas.clientWidth - NAMES_WIDTH;
  }
  get pixel() {
    return (this.view.to - this.view.from) / this.width;
  }
  x(ns) {
    return NAMES_WIDTH + (ns - this.view.from) / this.pixel;
  }
  time(x) {
    return this.view.from + (x - NAMES_WIDTH) * this.pixel;
  }
  y(row) {
    return TOP + row.top - this.scroll;
  }

  /* Shows a window of time, limited to the recording. */
  show(from, to) {
    const length = Math.min(Math.max(to - from, SMALLEST_NS), this.end - this.begin);
    const middle = (from + to) / 2;
    const least = Math.min(Math.max(middle - length / 2, this.begin), this.end - length);
    this.view = { from: least, to: least + length };
    this.redraw();
    this.events.moved();
  }
  showAll() {
    this.show(this.begin, this.end);
  }
  zoom(factor, x = NAMES_WIDTH + this.width / 2) {
    const at = this.time(x);
    const { from, to } = this.view;
    this.show(at - (at - from) * factor, at + (to - at) * factor);
  }
  move(pixels) {
    const by = pixels * this.pixel;
    this.show(this.view.from + by, this.view.to + by);
  }
  scrollTo(scroll) {
    const most = Math.max(0, this.height - (this.canvas.clientHeight - TOP));
    this.scroll = Math.min(Math.max(0, scroll), most);
    this.redraw();
  }
  /* Changes which rows there are: @change gets the choice. */
  choose(change) {
    this.hasToggled = true;
    change(this.choice);
    this.layOut();
    this.events.moved();
  }
  toggle(number) {
    this.choose((choice) => choice.toggle(choice.open, number));
  }
  pin(number) {
    this.choose((choice) => choice.toggle(choice.pins, number));
  }
  toggleGroup(row) {
    this.choose((choice) => choice.toggle(row.kind === "more" ? choice.whole :
      choice.closed, row.group));
  }
  /* Has a thread's row shown, with its calls. */
  reveal(thread) {
    this.hasToggled = true;
    const { choice } = this;
    choice.open.add(thread);
    this.layOut();
    if (this.rows.some((row) => row.number === thread))
      return;
    choice.filter = "";
    choice.closed.clear();
    this.layOut();
  }
  /* Goes to an interval of a thread, with a margin around it. */
  goTo(from, to, thread) {
    const around = Math.max((to - from) * 0.5, 20);
    this.events.begins();
    this.show(from - around, to + around);
    if (thread !== undefined) {
      this.reveal(thread);
      this.scrollToRow(this.rows.find((row) => row.number === thread), 120);
    }
    this.events.stepped();
  }
  /* Scrolls until @row is visible, with some pixels below its top. */
  scrollToRow(row, below = 40) {
    if (row && (this.y(row) < TOP || this.y(row) > this.canvas.clientHeight - below))
      this.scrollTo(row.top - 40);
  }
  selectSlice(row, slice) {
    this.select({ from: slice[SLICE.begin], to: slice[SLICE.begin] + slice[SLICE.length],
      thread: row.number, slice, kind: row.kind, row: rowNumber(row) });
  }
  /* Sets the row that keys act on. */
  setCursor(row) {
    this.cursorRow = row;
    this.scrollToRow(row);
    this.redraw();
    this.events.spoken(`${row.label}${row.about ? `, ${row.about}` : ""}`);
  }
  select(selection) {
    this.events.begins();
    this.selection = selection;
    this.redraw();
    this.events.selected(selection);
  }

  redraw() {
    if (this.isDrawing || !this.recording)
      return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      drawTimeline(this);
      this.load();
    });
  }
  visibleRows() {
    const bottom = this.canvas.clientHeight;
    return this.rows.filter((row) => this.y(row) < bottom &&
      this.y(row) + row.height > TOP);
  }
  /* Returns whether a track's loaded data is too little, or of another zoom. */
  isMissing(track) {
    const loaded = this.loaded.get(track);
    return !loaded || loaded.from > this.view.from || loaded.to < this.view.to ||
      loaded.pixel > this.pixel * 1.5 || loaded.pixel < this.pixel / 5;
  }
  /* Loads missing data for the view, one query at a time. */
  async load() {
    if (this.isAsking || this.width < 10)
      return;
    const tracks = this.visibleRows().map((row) => row.track)
      .filter((track) => track !== undefined && this.isMissing(track));
    if (!tracks.length && this.map)
      return;
    this.isAsking = true;
    try {
      if (!this.map)
        await this.loadMap();
      if (tracks.length)
        await this.loadTracks(tracks);
    } catch (error) {
      this.events.failed(error);
      return;
    } finally {
      this.isAsking = false;
    }
    this.redraw();
  }
  async loadTracks(tracks) {
    const { from, to } = this.view;
    const margin = (to - from) / 2;
    const wanted = { from: Math.max(0, Math.floor(from - margin)),
      to: Math.ceil(to + margin) };
    const pixels = Math.max(1, Math.round((wanted.to - wanted.from) / this.pixel));
    const answer = await this.source.tracks(wanted.from, wanted.to,
      Math.min(pixels, 16000), tracks);
    this.isWhole = answer.is_whole;
    let isDeeper = false;
    for (const { track, slices } of answer.tracks) {
      this.loaded.set(track, { ...wanted, pixel: this.pixel, slices });
      if ([TRACK.stack, TRACK.fiber].includes(track % TRACK.kinds) &&
          depthOf(slices) > (this.depths.get(track) ?? 0)) {
        this.depths.set(track, depthOf(slices));
        isDeeper = true;
      }
    }
    if (isDeeper)
      this.layOut();
  }
  async loadMap() {
    const tracks = this.recording.cpus.map((cpu) => cpu * TRACK.kinds + TRACK.cpu);
    const answer = await this.source.tracks(Math.floor(this.begin),
      Math.ceil(this.end), 500, tracks);
    this.map = answer.tracks;
  }

  /* Returns the row and slice at a point. */
  at(x, y) {
    if (y < TOP || !this.rows)
      return {};
    const row = this.rows.find((other) => y >= this.y(other) &&
      y < this.y(other) + other.height);
    const loaded = row && this.loaded.get(row.track);
    if (!loaded || x < NAMES_WIDTH)
      return { row };
    const depth = isCalls(row.kind) ? Math.floor((y - this.y(row)) / ROW.call) : 0;
    return { row, slice: sliceUnder(loaded.slices, depth, this.time(x), this.pixel) };
  }
}

/* Returns the shortest slice of @depth at @time, or within two pixels of it. */
function sliceUnder(slices, depth, time, pixel) {
  let best = null;
  for (let i = 0; i < slices.length; i += SLICE.numbers) {
    const begin = slices[i];
    const length = slices[i + SLICE.length];
    const wide = Math.max(length, 2 * pixel);
    if (slices[i + SLICE.depth] === depth && begin - pixel <= time &&
        time < begin + wide && (!best || length < best[SLICE.length]))
      best = slices.slice(i, i + SLICE.numbers);
  }
  return best;
}
