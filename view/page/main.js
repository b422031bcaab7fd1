/* SPDX-License-Identifier: MIT */
/* Assembles the page. */

const POLL_MS = 700;

/* The tooltip. It disappears with its target, and at every key, click, scroll and
 * change of the window.
 */
class Tip {
  constructor() {
    this.element = byId("tip");
    this.target = null;
    for (const event of ["keydown", "pointerdown", "wheel", "scroll", "resize", "blur"])
      addEventListener(event, () => this.hide(), { capture: true, passive: true });
    document.addEventListener("pointerleave", () => this.hide());
    document.addEventListener("visibilitychange", () => this.hide());
    new MutationObserver(() => {
      if (this.target && !this.target.isConnected)
        this.hide();
    }).observe(document.body, { childList: true, subtree: true });
  }
  hide() {
    this.element.hidden = true;
    this.target = null;
  }
  /* Shows a text about @target beside the pointer, or hides it. */
  show(text, x = 0, y = 0, target = null) {
    if (!text) {
      this.hide();
      return;
    }
    const { element } = this;
    this.target = target;
    element.hidden = false;
    element.textContent = text;
    element.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - element.offsetWidth - 8))}px`;
    element.style.top = `${Math.max(0, Math.min(y + 16, innerHeight - element.offsetHeight - 8))}px`;
  }
}

function showNotice(text) {
  const notice = byId("notice");
  notice.hidden = !text;
  notice.textContent = text;
}

/* Makes screen readers read a text. */
function speak(text) {
  byId("spoken").textContent = text;
}

function hoverText({ row, slice }, page) {
  if (!slice)
    return row?.number !== undefined && row.kind === "state" ?
      threadLabel(page.timeline.recording.threads[row.number]) : null;
  return sliceText({ slice, kind: row.kind, thread: row.number }, page);
}

function sliceText(selection, { timeline, source }) {
  return sliceFacts(selection, timeline.recording, source.names)
    .map(([name, value]) => `${name}: ${value}`).join("\n");
}

/* Returns a note about data yet to be decoded, or left out of a file. */
function noticeOf(recording, source) {
  if (source.isFile)
    return source.data.notice;
  if (recording.is_complete)
    return "";
  const part = (recording.reached_ns - recording.begin_ns) /
    (recording.length_ns - recording.begin_ns);
  return `Decoding: ${Math.max(0, Math.floor(100 * part))} %. The decoded part is shown, ` +
    "except its shortest calls; next time the page opens at once.";
}

/* "ls /etc" of "ktrace-hw record -o x -- ls /etc"; without a command the recorder's
 * options.
 */
/** @param {string} command */
function recordedCommand(command) {
  const at = command.indexOf(" -- ");
  return at < 0 ? command.replace(/^\S*ktrace-hw /, "") : command.slice(at + 4);
}

async function refresh(page) {
  const recording = await page.source.recording();
  page.timeline.take(recording);
  page.panel.take(recording);
  const what = byId("what");
  what.textContent =
    [recording.facts.path, recording.facts.command].filter(Boolean).join(" — ");
  what.title = what.textContent;
  document.title = [recordedCommand(recording.facts.command ?? ""), "ktrace-hw"]
    .filter(Boolean).join(" — ");
  showNotice(noticeOf(recording, page.source));
  /* The address may name a part that was not decoded before. */
  if (location.hash && (recording.is_complete || !page.hasApplied) && !page.address.written) {
    await page.address.apply();
    if (!recording.is_complete)
      page.address.written = "";
  }
  page.hasApplied = true;
  document.body.dataset.complete = recording.is_complete;
  if (!recording.is_complete)
    setTimeout(() => refresh(page).catch(lost), POLL_MS);
}

function lost() {
  showNotice("ktrace-hw view has ended or cannot be reached: start it again.");
}

function fillLegend(states) {
  const legend = byId("legend");
  legend.replaceChildren(...states.map((name, i) =>
    element("li", {}, swatch(stateColors[i]), name)));
  byId("code_legend").replaceChildren(...codeLegend());
}

/* Makes the line between timeline and panel movable, also by keys. */
function makeSplitter() {
  const splitter = byId("splitter");
  const panel = byId("panel");
  const set = (height) => {
    panel.style.flexBasis = `${Math.min(Math.max(80, height), innerHeight * 0.9)}px`;
    splitter.setAttribute("aria-valuenow", String(Math.round(100 * panel.offsetHeight / innerHeight)));
  };
  splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener("pointermove", (event) => {
    if (event.buttons)
      set(innerHeight - event.clientY);
  });
  splitter.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 30, ArrowDown: -30 }[event.key];
    if (!by)
      return;
    event.preventDefault();
    set(panel.offsetHeight + by);
  });
}

/* The controls above the timeline: which threads it shows. */
class RowControls {
  constructor(timeline) {
    this.timeline = timeline;
    this.filter = byId("filter");
    this.order = byId("order");
    this.unpin = byId("unpin");
    this.shown = byId("shown");
    this.order.append(...Object.entries(THREAD_ORDERS).map(([value, { title }]) =>
      element("option", { value, textContent: title })));
    this.filter.addEventListener("input", () =>
      timeline.choose((choice) => choice.filter = this.filter.value.trim()));
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Escape" || event.key === "Enter") {
        event.preventDefault();
        if (event.key === "Escape")
          timeline.choose((choice) => choice.filter = "");
        timeline.canvas.focus();
      }
    });
    this.order.addEventListener("change", () =>
      timeline.choose((choice) => choice.order = this.order.value));
    byId("collapse").addEventListener("click", () =>
      timeline.choose((choice) => this.collapse(choice)));
    this.unpin.addEventListener("click", () =>
      timeline.choose((choice) => choice.pins.clear()));
    document.addEventListener("keydown", (event) => this.key(event));
  }
  key(event) {
    if (event.key.toLowerCase() !== "t" || !isShortcut(event))
      return;
    event.preventDefault();
    this.filter.focus();
    this.filter.select();
  }
  collapse(choice) {
    choice.open.clear();
    choice.whole.clear();
    for (const group of groupsOf(this.timeline.recording, choice))
      choice.closed.add(group.key);
  }
  /* Shows the current choice in the controls. */
  update() {
    const { choice, recording, rows } = this.timeline;
    if (document.activeElement !== this.filter)
      this.filter.value = choice.filter;
    this.order.value = choice.order;
    this.unpin.hidden = !choice.pins.size;
    const shown = new Set(rows.filter((row) => row.kind === "state").map((row) => row.number)).size;
    this.shown.textContent = `${count(shown)} of ${plural(recording.threads.length, "thread")}`;
  }
}

function makeHelp() {
  const help = byId("help");
  const open = () => {
    if (!help.open)
      help.showModal();
  };
  byId("keys").addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && isShortcut(event))
      open();
  });
  /* A click beside the help closes it, too. */
  help.addEventListener("click", (event) => {
    if (event.target === help)
      help.close();
  });
}

/* Redraws all parts whose colours depend on the mode. */
function recolor(page) {
  if (!page.timeline?.recording)
    return;
  page.timeline.redraw();
  page.panel.show();
  fillLegend(page.timeline.recording.states);
}

async function start() {
  /** @type {any} */
  const page = { source: await openSource() };
  /** @type {any} */ (window).page = page;
  new ModeSwitch(() => recolor(page));
  const tip = new Tip();
  const showTip = (...about) => tip.show(...about);
  const canvas = byId("canvas");
  page.timeline = new Timeline(canvas, page.source, {
    selected: (selection) => {
      page.panel.select(selection);
      if (selection?.slice)
        speak(sliceText(selection, page));
    },
    hovered: (under) => showTip(under && hoverText(under, page), under?.x, under?.y, canvas),
    begins: () => page.address.begin(),
    moved: () => page.address.changed(false),
    stepped: () => page.address.changed(true),
    laidOut: () => page.controls.update(),
    spoken: speak,
    failed: (error) => error instanceof TypeError ? lost() : showNotice(error.message),
  });
  page.controls = new RowControls(page.timeline);
  page.address = new Address(page);
  page.panel = new Panel(page.source, page.timeline, showTip,
    { begins: () => page.address.begin(), changed: () => page.address.changed(true) });
  page.search = new Search(page.source, page.timeline, page.panel);
  page.panel.search = page.search;
  byId("all").addEventListener("click", () => page.timeline.showAll());
  makeHelp();
  makeSplitter();
  await refresh(page);
  fillLegend(page.timeline.recording.states);
}

start().catch((error) => showNotice(error.message));
