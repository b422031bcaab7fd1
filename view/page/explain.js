/* SPDX-License-Identifier: MIT */
/* Why the command took as long as it did: the text of `ktrace-hw explain`, with
 * links to the moments that it is about.
 */

const CAUSES_SHOWN = 7;

/* The place in the page that shows a cause's evidence, by explain's name. */
const EVIDENCE = { user: "functions", system_calls: "functions", faults: "functions",
  interrupts: "functions", kernel: "functions" };

/* @page: goTo(from, to, thread), choose(tab). */
function explanationOf(recording, page) {
  const { explanation } = recording;
  if (!explanation)
    return recording.is_complete ? null : element("p", { className: "dim", textContent:
      "Why the command took as long as it did is known after the first decode." });
  const link = (when) => explainedMoment(recording, when, page);
  const shown = explanation.causes.filter((cause, i) => i < CAUSES_SHOWN &&
    (!i || cause.ns >= explanation.wall_ns / 200));
  const rest = explanation.causes.slice(shown.length).reduce((sum, cause) => sum + cause.ns, 0);
  const made = element("section", { id: "explanation" },
    element("h2", { textContent: "Why it took as long as it did" }),
    element("p", {}, element("strong", { textContent: explanation.sentence })));
  made.setAttribute("aria-label", "Why it took as long as it did");
  if (explanation.waits_sentence)
    made.append(element("p", { textContent: explanation.waits_sentence }));
  if (explanation.processes_sentence)
    made.append(element("p", { textContent: explanation.processes_sentence }));
  const remarks = remarksOf(explanation);
  if (remarks.length)
    made.append(element("ul", { className: "causes" }, ...remarks.map((remark) =>
      element("li", {}, element("span", {}, remark.sentence, " · ", link(remark))))));
  made.append(element("ol", { className: "causes" },
    ...shown.map((cause) => causeItem(recording, cause, link, page)),
    rest ? element("li", { className: "dim", textContent:
      `${percent(rest, explanation.wall_ns)}  ${duration(rest)}  in ${plural(
        explanation.causes.length - shown.length, "smaller cause")}: ktrace-hw explain --format=json` }) : null));
  if (explanation.longest.length)
    made.append(element("h3", { textContent: "The longest waits" }),
      element("ul", { className: "causes" }, ...explanation.longest.map((wait) =>
        element("li", {}, element("span", { className: "number", textContent: duration(wait.ns) }),
          element("span", {}, "at ", link(wait), `: ${wait.sentence}`)))));
  for (const line of (explanation.notes ?? "").split("\n").filter(Boolean))
    made.append(element("p", { className: "dim", textContent: line }));
  return made;
}

/* Returns the facts of an explanation that are not among its causes, each with
 * its sentence and its interval: processes that a signal ended, an event loop
 * that was held, the last worker of a pool.
 */
function remarksOf(explanation) {
  const AROUND_NS = 50000;
  return [...explanation.crashes.filter((crash) => crash.sentence).map((crash) => ({
    sentence: crash.sentence, tid: crash.pid,
    begin_ns: crash.time_ns - AROUND_NS, ns: 2 * AROUND_NS })),
  explanation.held_loop, explanation.last_worker].filter(Boolean);
}

/* Returns a link to a moment of the explanation, whose times are by the
 * recording's clock.
 */
function explainedMoment(recording, { begin_ns, ns, tid }, page) {
  const from = begin_ns - recording.first_ns;
  const thread = recording.threads.findIndex((other) => other.tid === tid);
  return momentLink(moment(from, 1e3), () =>
    page.goTo(from, from + ns, thread < 0 ? undefined : thread));
}

function causeItem(recording, cause, link, page) {
  const { explanation } = recording;
  const bar = element("span", { className: "share" });
  bar.style.width = `${100 * cause.ns / (explanation.wall_ns || 1)}%`;
  const tab = EVIDENCE[cause.cause] ?? "sleeps";
  const where = element("span", {}, cause.sentence,
    cause.details ? element("br") : null,
    cause.details ? element("span", { className: "dim", textContent: cause.details }) : null,
    element("br"),
    element("span", { className: "dim" }, cause.links > 1 ?
      `${plural(cause.links, "part")}, the longest ${duration(cause.longest.ns)} at ` : "at ",
    link(cause.longest), " · ",
    momentLink(`see ${page.titleOf(tab)}`, () => page.showOf(tab, cause.longest.tid)), " · ",
    element("code", { textContent: cause.evidence })));
  return element("li", {},
    element("span", { className: "number", textContent: percent(cause.ns, explanation.wall_ns) }),
    element("span", { className: "number", textContent: duration(cause.ns) }),
    element("span", { className: "shares" }, bar), where);
}
