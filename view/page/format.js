/* SPDX-License-Identifier: MIT */
/* Formats of durations, times and names, and elements. */

/* "1.26 ms": three digits in a suitable unit. */
/** @param {number} ns */
function duration(ns) {
  if (ns === 0)
    return "0";
  /** @type {[number, string][]} */
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [size, unit] = units.find(([least]) => ns >= least) ?? units[3];
  const value = ns / size;
  const digits = unit === "ns" || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}

/* Seconds since the recording's start, as exact as @step_ns needs. */
function moment(ns, step_ns) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step_ns / 1e9))));
  return `${(ns / 1e9).toFixed(digits)} s`;
}

function percent(part, whole) {
  return whole ? `${(100 * part / whole).toFixed(1)} %` : "";
}

function count(number) {
  return number.toLocaleString("en");
}

/* Empty for time without calls: the function was called earlier, or before the
 * trace.
 */
function calls(number) {
  return number ? count(number) : "";
}

function plural(number, word) {
  return `${count(number)} ${word}${number === 1 ? "" : "s"}`;
}

const STATE = { system_call: 1, interrupt: 4, runnable: 5, throttled: 6, asleep: 7, not_asked: 8,
  guest: 9, unknown: 10 };

/** Returns the page's element with this id.
 * @param {string} id
 * @returns {any}
 */
function byId(id) {
  return document.getElementById(id);
}

/** Returns whether a key is one of the page's, not typed into a field or meant
 * for a dialog or for what has the focus.
 * @param {KeyboardEvent} event
 */
function isShortcut({ target, ctrlKey, metaKey, altKey, defaultPrevented }) {
  return !ctrlKey && !metaKey && !altKey && !defaultPrevented &&
    !(target instanceof Element && target.matches("input, select, textarea")) &&
    !document.querySelector("dialog[open]");
}

/** Makes an element. Strings become text nodes, so that no name becomes markup.
 * @param {string} tag
 * @param {Record<string, any>} properties
 * @param {(Node | string | null)[]} children
 * @returns {any}
 */
function element(tag, properties = {}, ...children) {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children.filter((child) => child !== null));
  return made;
}

function swatch(color) {
  const made = element("span", { className: "swatch" });
  made.style.background = color;
  return made;
}
