/* SPDX-License-Identifier: MIT */
/* Assembles the page. */

const POLL_MS = 700;

/* Shows a text beside the pointer, or hides it. */
function showTip(text, x = 0, y = 0) {
  const tip = document.getElementById("tip");
  tip.hidden = !text;
  if (!text)
    return;
  tip.textContent = text;
  tip.style.left = `${Math.min(x + 14, innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(y + 16, innerHeight - tip.offsetHeight - 8)}px`;
}

function showNotice(text) {
  const notice = document.getElementById("notice");
  notice.hidden = !text;
  notice.textContent = text;
}

function hoverText({ row, slice }, page) {
  if (!slice)
    return row?.number !== undefined && row.kind === "state" ?
      threadLabel(page.timeline.recording.threads[row.number]) : null;
  return sliceFacts({ slice, kind: row.kind, thread: row.number },
    page.timeline.recording, page.source.names)
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

async function refresh(page) {
  const recording = await page.source.recording();
  page.timeline.take(recording);
  page.panel.take(recording);
  const what = document.getElementById("what");
  what.textContent =
    [recording.facts.path, recording.facts.command].filter(Boolean).join(" — ");
  what.title = what.textContent;
  showNotice(noticeOf(recording, page.source));
  document.body.dataset.complete = recording.is_complete;
  if (!recording.is_complete)
    setTimeout(() => refresh(page).catch(lost), POLL_MS);
}

function lost() {
  showNotice("ktrace-hw view has ended or cannot be reached: start it again.");
}

function fillLegend(states) {
  const legend = document.getElementById("legend");
  legend.replaceChildren(...states.map((name, i) =>
    element("li", {}, swatch(stateColors[i]), name)));
}

/* Makes the line between timeline and panel draggable. */
function makeSplitter() {
  const splitter = document.getElementById("splitter");
  const panel = document.getElementById("panel");
  splitter.addEventListener("pointerdown", (event) => splitter.setPointerCapture(event.pointerId));
  splitter.addEventListener("pointermove", (event) => {
    if (event.buttons)
      panel.style.flexBasis = `${Math.max(80, innerHeight - event.clientY)}px`;
  });
}

async function start() {
  const page = { source: openSource() };
  window.page = page;
  page.timeline = new Timeline(document.getElementById("canvas"), page.source, {
    selected: (selection) => page.panel.select(selection),
    hovered: (under) => showTip(under && hoverText(under, page), under?.x, under?.y),
    failed: (error) => error instanceof TypeError ? lost() : showNotice(error.message),
  });
  page.panel = new Panel(page.source, page.timeline, showTip);
  page.search = new Search(page.source, page.timeline);
  page.panel.search = page.search;
  document.getElementById("all").addEventListener("click", () => page.timeline.showAll());
  const help = document.getElementById("help");
  document.getElementById("keys").addEventListener("click", () => help.showModal());
  document.addEventListener("keydown", (event) => {
    if (event.key === "?" && !event.target.matches("input"))
      help.showModal();
  });
  makeSplitter();
  await refresh(page);
  fillLegend(page.timeline.recording.states);
}

start().catch((error) => showNotice(error.message));
