/* SPDX-License-Identifier: MIT */
#include "report/text/flame_svg.h"

#include "report/text/function_label.h"
#include "report/text/name_text.h"

#include <inttypes.h>
#include <string.h>

/* The script in every flame graph. A click zooms, Escape or "reset" zooms out,
 * Ctrl-F or "search" marks matches of a pattern and adds up their time. The
 * graph fills the window's width, and its rows get lower, down to 4 pixels,
 * until it fits the height.
 *
 * It expects pairs of rect and text in <g class="f"> with data-x and data-w (in
 * data-unit), data-n (name), data-d (depth) and data-g (1: the second graph),
 * in an svg whose viewBox has the width data-width and whose data-all and
 * data-second are the totals; and elements with the ids reset, search, matched,
 * notes and, for two graphs, second.
 */
static const char flame_script[] =
	"'use strict';\n"
	"var svg = document.documentElement;\n"
	"var frames = Array.from(document.querySelectorAll('g.f'), function (g) {\n"
	"  return { g: g, rect: g.querySelector('rect'),\n"
	"    text: g.querySelector('text'), x: +g.dataset.x, w: +g.dataset.w,\n"
	"    depth: +g.dataset.d, name: g.dataset.n,\n"
	"    graph: +g.dataset.g || 0 };\n"
	"});\n"
	"var width = +svg.dataset.width, unit = svg.dataset.unit;\n"
	"var alls = [+svg.dataset.all, +svg.dataset.second];\n"
	"function whole(all) { return { x: 0, w: all, depth: 0 }; }\n"
	"var views = alls.map(whole);\n"
	"var matched = document.getElementById('matched');\n"
	"function label(frame, pixels) {\n"
	"  var room = Math.floor((pixels - 4) / 7);\n"
	"  if (room < 3) return '';\n"
	"  return frame.name.length <= room ? frame.name :\n"
	"    frame.name.slice(0, room - 2) + '..';\n"
	"}\n"
	"function amount(value) {\n"
	"  var units = ['ns', 'us', 'ms', 's'], i = 0;\n"
	"  if (unit !== 'ns') return value + ' ' + unit;\n"
	"  for (; value >= 1000 && i < 3; i++) value /= 1000;\n"
	"  return (i ? value.toPrecision(3) : value) + ' ' + units[i];\n"
	"}\n"
	"function place(frame) {\n"
	"  var view = views[frame.graph];\n"
	"  var x = (frame.x - view.x) / view.w * width;\n"
	"  var w = frame.w / view.w * width;\n"
	"  frame.above = frame.depth < view.depth;\n"
	"  if (frame.above && frame.x <= view.x &&\n"
	"      frame.x + frame.w >= view.x + view.w) { x = 0; w = width; }\n"
	"  frame.shown = x < width && x + w > 0 && w >= 0.1 &&\n"
	"    (!frame.above || w >= width);\n"
	"  frame.left = Math.max(x, 0);\n"
	"  frame.wide = Math.min(w, width - frame.left);\n"
	"}\n"
	"function draw() {\n"
	"  var levels = [0, 0], gap = alls[1] ? 40 : 0, row, tops;\n"
	"  frames.forEach(function (frame) {\n"
	"    place(frame);\n"
	"    if (frame.shown)\n"
	"      levels[frame.graph] = Math.max(levels[frame.graph],\n"
	"        frame.depth + 1);\n"
	"  });\n"
	"  row = (window.innerHeight - 84 - gap) / (levels[0] + levels[1]);\n"
	"  row = Math.max(4, Math.min(16, Math.floor(row)));\n"
	"  tops = [60, 60 + gap + levels[0] * row];\n"
	"  frames.forEach(function (frame) {\n"
	"    var y = tops[frame.graph] + frame.depth * row;\n"
	"    frame.g.style.display = frame.shown ? '' : 'none';\n"
	"    if (!frame.shown) return;\n"
	"    frame.rect.setAttribute('x', frame.left);\n"
	"    frame.rect.setAttribute('width', frame.wide);\n"
	"    frame.rect.setAttribute('y', y);\n"
	"    frame.rect.setAttribute('height', row - (row > 6 ? 1 : 0.5));\n"
	"    frame.rect.style.opacity = frame.above ? 0.5 : 1;\n"
	"    frame.text.setAttribute('x', frame.left + 3);\n"
	"    frame.text.setAttribute('y', y + row - 4);\n"
	"    frame.text.textContent = row < 12 ? '' : label(frame, frame.wide);\n"
	"  });\n"
	"  resize(tops[1] - gap, tops[1] + levels[1] * row);\n"
	"  document.getElementById('reset').style.display =\n"
	"    views.some(function (view, i) { return view.w < alls[i]; }) ?\n"
	"      '' : 'none';\n"
	"}\n"
	"function resize(first, height) {\n"
	"  var second = document.getElementById('second');\n"
	"  if (second) second.setAttribute('y', first + 28);\n"
	"  document.getElementById('notes').setAttribute('y', height + 16);\n"
	"  height += 24;\n"
	"  svg.setAttribute('height', height);\n"
	"  svg.setAttribute('viewBox', '0 0 ' + width + ' ' + height);\n"
	"}\n"
	"function fit() {\n"
	"  width = Math.max((window.innerWidth || width) - 18, 400);\n"
	"  svg.setAttribute('width', width);\n"
	"  document.getElementById('search').setAttribute('x', width - 60);\n"
	"  matched.setAttribute('x', width - 360);\n"
	"  draw();\n"
	"}\n"
	"function zoom(frame) {\n"
	"  views[frame.graph] =\n"
	"    { x: frame.x, w: Math.max(frame.w, 1), depth: frame.depth };\n"
	"  draw();\n"
	"}\n"
	"function reset() { views = alls.map(whole); draw(); }\n"
	"function search() {\n"
	"  var pattern = prompt('Search for (regular expression):', '');\n"
	"  if (pattern === null) return;\n"
	"  mark(pattern);\n"
	"}\n"
	"function mark(pattern) {\n"
	"  var expression;\n"
	"  try { expression = pattern ? new RegExp(pattern) : null; }\n"
	"  catch (error) { matched.textContent = String(error); return; }\n"
	"  var ends = [0, 0], sums = [0, 0];\n"
	"  frames.slice().sort(function (a, b) {\n"
	"    return a.x - b.x || b.w - a.w;\n"
	"  }).forEach(function (frame) {\n"
	"    var hit = expression && expression.test(frame.name);\n"
	"    frame.rect.classList.toggle('hit', Boolean(hit));\n"
	"    var i = frame.graph, end = frame.x + frame.w;\n"
	"    if (!hit || end <= ends[i]) return;\n"
	"    sums[i] += end - Math.max(ends[i], frame.x);\n"
	"    ends[i] = end;\n"
	"  });\n"
	"  matched.textContent = expression ? 'matched: ' +\n"
	"    sums.filter(function (sum, i) { return alls[i]; })\n"
	"      .map(function (sum, i) {\n"
	"        return (100 * sum / alls[i]).toFixed(2) + ' % (' +\n"
	"          amount(sum) + ')';\n"
	"      }).join(', ') : '';\n"
	"}\n"
	"frames.forEach(function (frame) {\n"
	"  frame.g.addEventListener('click', function () { zoom(frame); });\n"
	"});\n"
	"document.getElementById('reset').addEventListener('click', reset);\n"
	"document.getElementById('search').addEventListener('click', search);\n"
	"window.addEventListener('keydown', function (event) {\n"
	"  if (event.key === 'Escape') { mark(''); reset(); }\n"
	"  if (event.ctrlKey && event.key === 'f') {\n"
	"    event.preventDefault(); search();\n"
	"  }\n"
	"});\n"
	"window.addEventListener('resize', fit);\n"
	"fit();\n";

enum {
	WIDTH = 1200,
	FRAME_HEIGHT = 16,
	TOP_MARGIN = 60,
	SECOND_MARGIN = 40,
	BOTTOM_MARGIN = 24,
	LETTER_WIDTH = 7,
	LETTERS_LEAST = 3,
	/* A frame narrower than 1/50000 of the whole is left out. */
	NARROWEST_PART = 50000,
	/* Estimated bytes of a frame besides two copies of its name. */
	FRAME_BYTES = 320,
};

/* Returns the last level that is drawn of a graph of @max_depth. */
static uint32_t last_level(uint32_t max_depth)
{
	return max_depth < DEPTH_DRAWN ? max_depth : DEPTH_DRAWN - 1;
}

/* Returns the y position of the end of the first graph. */
static uint32_t first_height(const struct flame_svg *svg)
{
	return TOP_MARGIN + (last_level(svg->max_depth) + 1) * FRAME_HEIGHT;
}

static uint32_t height_of(const struct flame_svg *svg)
{
	uint32_t height = first_height(svg) + BOTTOM_MARGIN;

	if (svg->second_all)
		height += SECOND_MARGIN + (last_level(svg->second_max_depth) +
					   1) * FRAME_HEIGHT;
	return height;
}

static uint64_t all_of(const struct flame_svg *svg,
		       const struct flame_frame *frame)
{
	return frame->is_second ? svg->second_all : svg->all;
}

/* Returns the y position of @frame. Roots are at the top of their graph. */
static uint32_t top_of(const struct flame_svg *svg,
		       const struct flame_frame *frame)
{
	uint32_t top = frame->is_second ? first_height(svg) + SECOND_MARGIN :
					  TOP_MARGIN;

	return top + frame->depth * FRAME_HEIGHT;
}

void flame_svg_begin(const struct flame_svg *svg)
{
	uint32_t height = height_of(svg);
	FILE *out = svg->out;

	fprintf(out,
		"<?xml version=\"1.0\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32
		"\" data-width=\"%d\" data-all=\"%" PRIu64
		"\" data-second=\"%" PRIu64 "\" data-unit=\"%s\">\n",
		WIDTH, height, WIDTH, height, WIDTH, svg->all, svg->second_all,
		svg->unit);
	fputs("<style>text { font: 12px monospace; fill: #000 } "
	      ".f { cursor: pointer } .f text { pointer-events: none } "
	      ".f:hover rect { stroke: #000 } .hit { fill: #e020e0 } "
	      ".b { cursor: pointer; text-decoration: underline }</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      out);
	fprintf(out,
		"<text id=\"reset\" class=\"b\" x=\"10\" y=\"40\">reset</text>"
		"<text id=\"search\" class=\"b\" x=\"%d\" y=\"20\">search"
		"</text><text id=\"matched\" x=\"%d\" y=\"40\"></text>\n",
		WIDTH - 60, WIDTH - 360);
}

/* Writes a name shortened like label() in flame_script does, for viewers
 * without scripts.
 */
static void write_fitting(FILE *out, const char *text, double width)
{
	size_t room = width < 4 ? 0 : (size_t)((width - 4) / LETTER_WIDTH);
	size_t size = strlen(text);

	if (room < LETTERS_LEAST)
		return;
	if (size <= room) {
		name_write(out, NAME_XML, text);
		return;
	}
	/* Do not split a multi-byte character. */
	for (size = room - 2; size && (text[size] & 0xc0) == 0x80;)
		size--;
	name_write_part(out, NAME_XML, text, size);
	fputs("..", out);
}

void flame_svg_frame(const struct flame_svg *svg,
		     const struct flame_frame *frame, const char *colour,
		     const char *details)
{
	uint32_t y = top_of(svg, frame);
	double scale = (double)WIDTH / (double)all_of(svg, frame);
	double x = (double)frame->start * scale;
	double width = (double)frame->width * scale;
	FILE *out = svg->out;

	fprintf(out,
		"<g class=\"f%s\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		"\" data-d=\"%" PRIu32 "\"%s data-n=\"",
		frame->is_interrupt ? " i" : "", frame->start, frame->width,
		frame->depth, frame->is_second ? " data-g=\"1\"" : "");
	name_write(out, NAME_XML, frame->name);
	fputs("\"><title>", out);
	name_write(out, NAME_XML, frame->name);
	if (frame->depth == DEPTH_DRAWN - 1 && frame->below)
		fprintf(out, " [+%" PRIu32 " levels]", frame->below);
	fprintf(out,
		"%s</title><rect x=\"%.2f\" y=\"%" PRIu32
		"\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>"
		"<text x=\"%.2f\" y=\"%" PRIu32 "\">",
		details, x, y, width, FRAME_HEIGHT - 1, colour, x + 3, y + 12);
	write_fitting(out, frame->name, width);
	fputs("</text></g>\n", out);
}

/* Returns the estimated bytes of the frames that are at least @least wide. */
static uint64_t bytes_of(const struct flame_frames *frames, uint64_t least)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < frames->count; i++)
		if (frames->width[i] >= least &&
		    flame_svg_has_level(frames->depth[i]))
			bytes += FRAME_BYTES +
				 2 * frames->name_length(frames->ctx, i);
	return bytes;
}

uint64_t flame_svg_least(const struct flame_frames *frames, uint64_t most_bytes)
{
	uint64_t low = frames->all / NARROWEST_PART;
	uint64_t high = frames->all;

	low += !low;
	if (bytes_of(frames, low) <= most_bytes)
		return low;
	/* The graph with "low" is too large. The one with "high" is not, or has
	 * only frames of the whole width.
	 */
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (bytes_of(frames, middle) <= most_bytes)
			high = middle;
		else
			low = middle;
	}
	return high;
}

bool flame_svg_has_level(uint32_t depth)
{
	return depth < DEPTH_DRAWN;
}

void flame_svg_second(const struct flame_svg *svg)
{
	fprintf(svg->out, "<text id=\"second\" x=\"10\" y=\"%" PRIu32 "\">",
		first_height(svg) + SECOND_MARGIN - 12);
}

void flame_svg_notes(const struct flame_svg *svg)
{
	fprintf(svg->out, "<text id=\"notes\" x=\"10\" y=\"%" PRIu32 "\">",
		height_of(svg) - 8);
}

void flame_svg_end(const struct flame_svg *svg)
{
	fprintf(svg->out,
		"</text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n",
		flame_script);
}
