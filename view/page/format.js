/* SPDX-License-Identifier: MIT */
/* Formats of durations, times and names, and elements. */

/* "1.26 ms": three digits in a suitable unit. */
function duration(ns) {
  if (ns === 0)
    return "0";
  const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
  const [size, unit] = units.find(([size]) => ns >= size) ?? units[3];
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

const STATE = { system_call: 1, interrupt: 4, runnable: 5, asleep: 6, not_asked: 7, guest: 8, unknown: 9 };

/* Makes an element. Strings become text nodes, so that no name becomes markup.
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
