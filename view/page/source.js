/* SPDX-License-Identifier: MIT */
/* The source of the page's data: the server that sent it, or the page itself if
 * it was saved as a file. Times are ns since the recording's start.
 */

/** A selected interval, of a thread if there is one, and a slice there.
 * @typedef {{ from: number, to: number, thread?: number, slice?: number[], kind?: string,
 *   row?: number }} Selected
 */

/* Indices of a slice's numbers: see view/answer/answer_json_internal.h. */
const SLICE = { begin: 0, length: 1, depth: 2, name: 3, detail: 4, waker: 5,
  count: 6, busy: 7, numbers: 8 };
/* Parts of a profile: see report/profile/profile.h. */
const PART = { work: 0, idle: 1, tracer: 2 };
const TRACK = { cpu: 0, state: 1, stack: 2, fiber: 3, interruptsOff: 4, preemptionOff: 5,
  kinds: 6 };

/* Names of functions by number, collected from answers. */
class FunctionNames {
  constructor() {
    this.names = new Map();
  }
  take(functions) {
    for (const [number, [name, module, parameters]] of
      Object.entries(functions ?? {}))
      this.names.set(Number(number), { name, module, parameters });
  }
  /* Returns the kind of code, of CODE_KINDS. */
  kind(number) {
    const known = this.names.get(number);
    return !known?.module ? "kernel" : known.module === "user" ? "user" : "module";
  }
  color(number) {
    return codeColor(this.kind(number), this.name(number));
  }
  name(number) {
    return this.names.get(number)?.name ?? "?";
  }
  /* For tooltips: a demangled name with its parameters, then as full(). */
  whole(number) {
    const known = this.names.get(number);
    return known?.parameters ? `${known.parameters} [${known.module}]` :
      this.full(number);
  }
  /* The name with its module, except for the kernel proper. */
  full(number) {
    const known = this.names.get(number);
    return known?.module ? `${known.name} [${known.module}]` : this.name(number);
  }
}

class ServerSource {
  constructor() {
    this.names = new FunctionNames();
    this.isFile = false;
  }
  async ask(path, values = {}) {
    const reply = await fetch(`data/${path}?${new URLSearchParams(values)}`);
    const answer = await reply.json();
    this.names.take(answer.functions);
    if (answer.error)
      throw new Error(answer.error);
    return answer;
  }
  recording() {
    return this.ask("recording");
  }
  tracks(from, to, pixels, tracks) {
    return this.ask("tracks", { from, to, pixels, tracks: tracks.join() });
  }
  profile(selection) {
    return this.ask("profile", selection);
  }
  sleeps(selection) {
    return this.ask("sleeps", selection);
  }
  functions(like) {
    return this.ask("functions", { like });
  }
  next(wanted) {
    return this.ask("next", wanted);
  }
  annotate(wanted) {
    return this.askDecoder("annotate", wanted);
  }
  explain(selection) {
    return this.askDecoder("explain", selection);
  }
  async askDecoder(path, wanted) {
    const answer = await this.ask(path, wanted);
    if (answer.is_waiting)
      throw new Error("After the first decode.");
    return answer;
  }
}

/* A page in a file has one level of slices, and calls by parts of time. */
class FileSource {
  constructor(data) {
    this.data = data;
    this.isFile = true;
    this.all = null;	/* the whole recording's profile, when it was asked for */
    this.names = new FunctionNames();
    this.names.take(data.recording.functions);
    this.names.take(data.functions);
    this.tracksByNumber = new Map(data.tracks.map((track) => [track.track, track.slices]));
  }
  async recording() {
    return this.data.recording;
  }
  async tracks(from, to, pixels, tracks) {
    const cut = tracks.map((track) => ({ track, slices:
      cutSlices(this.tracksByNumber.get(track) ?? [], from, to, (to - from) / pixels) }));
    return { tracks: cut, is_whole: (to - from) / pixels >= this.data.resolution_ns };
  }
  async profile(selection) {
    return profileOfParts(this.data, selection);
  }
  async sleeps({ from, to, thread }) {
    return sleepsOfSlices(this, from, to, thread);
  }
  async functions(like) {
    const { flat } = this.all ??= profileOfParts(this.data, { from: 0, to: Infinity,
      with_idle: 1, with_tracer: 1 });
    const found = [];
    for (let i = 0; i < flat.length; i += 4) {
      const { name, parameters } = this.names.names.get(flat[i]) ?? { name: "" };
      if (name.includes(like) || parameters?.includes(like))
        found.push([flat[i], flat[i + 3], name === like]);
    }
    found.sort((a, b) => b[2] - a[2] || b[1] - a[1]);
    return { found: found.slice(0, 50).map(([number, ns]) => [number, ns]), count: found.length };
  }
  async next(wanted) {
    return nextOfSlices(this, wanted);
  }
  async annotate({ function: wanted }) {
    throw new Error("Not in this file: a saved page has no trace. " +
      `ktrace-hw annotate ${this.names.name(wanted)}, or ktrace-hw view.`);
  }
  async explain() {
    throw new Error("Not in this file: a saved page has no trace. This command, or ktrace-hw view:");
  }
}

/* Returns the slices that overlap a window; of slices shorter than a pixel the
 * longest in each pixel, which is also the one that the server's thinner names.
 */
function cutSlices(slices, from, to, pixel = 0) {
  const cut = [];
  const covered = [];
  const last = [];
  for (let i = 0; i < slices.length; i += SLICE.numbers) {
    const begin = slices[i];
    const length = slices[i + SLICE.length];
    const depth = slices[i + SLICE.depth];
    if (begin >= to || begin + length < from)
      continue;
    let place = cut.length;
    if (length < pixel && begin < covered[depth]) {
      place = last[depth];
      if (length <= cut[place + SLICE.length])
        continue;
    } else {
      covered[depth] = begin + pixel;
      last[depth] = place;
    }
    for (let j = 0; j < SLICE.numbers; j++)
      cut[place + j] = slices[i + j];
  }
  return cut;
}

/** Sums up the parts of time that overlap a selection.
 * @param {any} data
 * @param {{ from: number, to: number, thread?: number, with_idle?: number,
 *   with_tracer?: number }} selection
 */
function profileOfParts(data, { from, to, thread, with_idle, with_tracer }) {
  const touched = data.parts.filter((part) => part.from < to && part.to > from);
  const { parents, functions } = data.places;
  const parts = partsOfPlaces(data.places, thread);
  const shows = [true, with_idle, with_tracer];
  const part_ns = shows.map(() => 0);
  const self = new Map();
  const calls = new Map();
  const roots = new Map();
  parents.forEach((parent, i) => roots.set(i, parent < 0 ? functions[i] : roots.get(parent)));
  for (const { sums } of touched)
    for (let i = 0; i < sums.length; i += 3) {
      if (thread !== undefined && roots.get(sums[i]) !== thread)
        continue;
      calls.set(sums[i], (calls.get(sums[i]) ?? 0) + sums[i + 1]);
      self.set(sums[i], (self.get(sums[i]) ?? 0) + sums[i + 2]);
    }
  self.forEach((ns, place) => part_ns[parts[place]] += ns);
  return { from: touched[0]?.from ?? from, to: touched.at(-1)?.to ?? to, part_ns,
    ...treeOfPlaces(data.places, (place) => shows[parts[place]], calls, self),
    left_out: data.left_out_places };
}

/* Returns the profile part of each place. A chosen thread counts as work. */
function partsOfPlaces({ parents, profile_parts }, thread) {
  const parts = [];
  parents.forEach((parent, i) => parts.push(
    profile_parts[i] < 0 ? parts[parent] :
      parent < 0 && thread !== undefined ? PART.work : profile_parts[i]));
  return parts;
}

/* Returns the tree and the flat profile in the server's format. The parent of a
 * call whose caller is hidden is its nearest shown caller.
 */
function treeOfPlaces({ parents, functions }, isShown, calls, self) {
  const nodes = [{ parent: -1, function: -1, calls: 0, self: 0, total: 0 }];
  const byPath = new Map();
  const nodeOf = [];
  const childOf = (parent, called) => {
    const key = `${parent} ${called}`;
    if (!byPath.has(key)) {
      byPath.set(key, nodes.length);
      nodes.push({ parent, function: called, calls: 0, self: 0, total: 0 });
    }
    return byPath.get(key);
  };
  parents.forEach((parent, place) => {
    nodeOf[place] = nodeOf[parent] ?? 0;
    if (!isShown(place))
      return;
    if (parent >= 0)
      nodeOf[place] = childOf(nodeOf[parent], functions[place]);
    nodes[nodeOf[place]].calls += calls.get(place) ?? 0;
    nodes[nodeOf[place]].self += self.get(place) ?? 0;
  });
  for (let i = nodes.length - 1; i >= 0; i--) {
    nodes[i].total += nodes[i].self;
    if (i)
      nodes[nodes[i].parent].total += nodes[i].total;
  }
  return { tree: nodes.flatMap((node) => [node.parent, node.function, node.calls,
    node.self, node.total]), flat: flatOfTree(nodes), self_ns: nodes[0].total };
}

function flatOfTree(nodes) {
  const rows = new Map();
  nodes.forEach((node, i) => {
    if (!i)
      return;
    const row = rows.get(node.function) ?? [node.function, 0, 0, 0];
    row[1] += node.calls;
    row[2] += node.self;
    let above = node.parent;
    while (above > 0 && nodes[above].function !== node.function)
      above = nodes[above].parent;
    if (above <= 0)
      row[3] += node.total;
    rows.set(node.function, row);
  });
  return [...rows.values()].filter((row) => row[1] || row[3])
    .sort((a, b) => b[2] - a[2]).flat();
}

function sleepsOfSlices(source, from, to, thread) {
  const rows = new Map();
  for (const [track, slices] of source.tracksByNumber) {
    const number = Math.floor(track / TRACK.kinds);
    if (track % TRACK.kinds !== TRACK.state ||
        (thread !== undefined && number !== thread))
      continue;
    const cut = cutSlices(slices, from, to);
    for (let i = 0; i < cut.length; i += SLICE.numbers) {
      const slice = cut.slice(i, i + SLICE.numbers);
      if (slice[SLICE.name] !== STATE.asleep)
        continue;
      const key = `${number} ${slice[SLICE.detail]} ${slice[SLICE.waker]}`;
      const row = rows.get(key) ?? [number, 0, 0, ...slice];
      if (slice[SLICE.length] > row[3 + SLICE.length])
        row.splice(3, SLICE.numbers, ...slice);
      row[1] += slice[SLICE.count];
      row[2] += slice[SLICE.busy];
      rows.set(key, row);
    }
  }
  return { sleeps: [...rows.values()].sort((a, b) => b[2] - a[2]) };
}

function nextOfSlices(source, wanted) {
  let best = null;
  for (const [track, slices] of source.tracksByNumber) {
    const number = Math.floor(track / TRACK.kinds);
    if (track % TRACK.kinds !== TRACK.stack ||
        (wanted.thread !== undefined && number !== wanted.thread))
      continue;
    for (let i = 0; i < slices.length; i += SLICE.numbers) {
      const at = slices[i];
      if (slices[i + SLICE.name] !== wanted.function ||
          (wanted.back ? at >= wanted.from : at <= wanted.from))
        continue;
      if (!best || (wanted.back ? at > best.at : at < best.at))
        best = { found: true, at, thread: number, depth: slices[i + SLICE.depth] };
    }
  }
  return best ?? { found: false };
}

/* Adds the members of the JSON in @data.packed: base64 of gzip. */
async function unpack(data) {
  if (!window.DecompressionStream)
    throw new Error("This page needs a browser of 2023 or later.");
  const bytes = Uint8Array.from(atob(data.packed), (char) => char.charCodeAt(0));
  delete data.packed;
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return Object.assign(data, await new Response(unpacked).json());
}

async function openSource() {
  const data = byId("data");
  return data ? new FileSource(await unpack(JSON.parse(data.textContent))) :
    new ServerSource();
}
