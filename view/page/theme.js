/* SPDX-License-Identifier: MIT */
/* Colours, in a light and a dark mode.
 *
 * The page follows the system's mode until the switch chooses one, which is
 * stored for the next visit. Styles follow data-mode of the root element, and
 * canvases the values read here from the same style properties. Each colour of a
 * state has one meaning; a box with a name has the colour of the kind of code
 * that the name is from (codeColor()).
 */

const MODES = ["auto", "light", "dark"];
const MODE_KEY = "ktrace-hw mode";

/* The style properties that canvases use. */
const CANVAS_COLORS = ["paper", "soft", "grid", "line", "text", "dim", "accent",
  "axis", "map", "busy", "shade", "arrow", "marked"];

/** @type {Record<string, string>} */
const theme = {};

/* Colours of the states, in the server's order. */
const STATE_COLORS = {
  light: ["#5f9fee", "#34b27b", "#f59a2e", "#a9d45c", "#ee7474", "#ffe04d", "#d62828",
    "#e4e7ee", "#b39a6b", "#3fc4d6", "#b57be0", "#f2a0c6", "#8d97ad", "#cfc3ff", "#a4d3c9", "#c9744a"],
  dark: ["#5f9fee", "#34b27b", "#f59a2e", "#a9d45c", "#ee7474", "#ffe04d", "#d62828",
    "#39404f", "#b39a6b", "#3fc4d6", "#b57be0", "#f2a0c6", "#8d97ad", "#cfc3ff", "#a4d3c9", "#c9744a"],
};
const INK = { dark: "#14161c", light: "#ffffff" };

let stateColors = STATE_COLORS.light;

/* Returns the relative luminance (WCAG) of a colour like "#5f9fee". */
function luminance(color) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/* Returns the colour of text on a state's colour. */
function stateInk(state) {
  return luminance(stateColors[state]) > 0.18 ? INK.dark : INK.light;
}

/* Returns the stored choice; browsers may refuse storage to files. */
function storedMode() {
  try {
    return localStorage.getItem(MODE_KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function storeMode(mode) {
  try {
    localStorage.setItem(MODE_KEY, mode);
  } catch {
    /* The choice holds until the page is closed. */
  }
}

function readTheme(mode) {
  const root = document.documentElement;
  root.dataset.mode = mode;
  const style = getComputedStyle(root);
  for (const name of CANVAS_COLORS)
    theme[name] = style.getPropertyValue(`--${name}`).trim();
  stateColors = STATE_COLORS[mode];
}

/* Follows the system and the switch #mode; @changed is called after each
 * change.
 */
class ModeSwitch {
  constructor(changed) {
    this.changed = changed;
    this.choice = MODES.includes(storedMode()) ? storedMode() : "auto";
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.system.addEventListener("change", () => this.apply());
    this.button = byId("mode");
    this.button.addEventListener("click", () => {
      this.choice = MODES[(MODES.indexOf(this.choice) + 1) % MODES.length];
      storeMode(this.choice);
      this.apply();
    });
    this.apply();
  }
  get mode() {
    return this.choice !== "auto" ? this.choice : this.system.matches ? "dark" : "light";
  }
  apply() {
    readTheme(this.mode);
    this.button.textContent = { auto: "◐", light: "○", dark: "●" }[this.choice];
    const label = `Colours: ${this.choice === "auto" ? "as the system" : this.choice}`;
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    this.changed();
  }
}

/* The kinds of code, and the hues of their colours: @about is for the legend. */
const CODE_KINDS = {
  kernel: { hue: 30, about: "the kernel" },
  module: { hue: 75, about: "a kernel module" },
  user: { hue: 205, about: "a program or library" },
  none: { hue: 0, about: "all" },
};

const knownColors = new Map();

/* Returns the colour of a name of @kind of CODE_KINDS, the same everywhere:
 * the hue is the kind's, shades distinguish neighbours.
 */
function codeColor(kind, name) {
  const key = `${kind} ${name}`;
  let color = knownColors.get(key);
  if (!color) {
    color = makeColor(kind, name);
    knownColors.set(key, color);
  }
  return color;
}

function hashOf(name) {
  let hash = 2166136261;
  for (let i = 0; i < name.length; i++)
    hash = Math.imul(hash ^ name.charCodeAt(i), 16777619);
  return hash >>> 0;
}

function makeColor(kind, name) {
  const hash = hashOf(name);
  if (kind === "none")
    return "#c9cdd6";
  return `hsl(${CODE_KINDS[kind].hue - 12 + hash % 25} ${48 + (hash >>> 9) % 30}% ${
    66 + (hash >>> 15) % 17}%)`;
}

/* Returns the colour of a thread's name on a CPU. */
function threadColor(name) {
  const hash = hashOf(name);
  return `hsl(${hash % 360} ${45 + (hash >>> 9) % 20}% ${70 + (hash >>> 15) % 12}%)`;
}

/* Returns the colours of code as legend entries. */
function codeLegend() {
  return ["kernel", "module", "user"].map((kind) => element("li", {},
    swatch(`hsl(${CODE_KINDS[kind].hue} 60% 74%)`), CODE_KINDS[kind].about));
}
