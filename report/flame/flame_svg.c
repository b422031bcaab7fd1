/* SPDX-License-Identifier: MIT */
#include "report/flame/flame_svg.h"

#include "report/flame/flame_script.h"
#include "report/text/deep_stack.h"
#include "report/text/name_text.h"

#include <inttypes.h>
#include <string.h>

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
};

/* Returns the last level that is drawn of a graph of @max_depth. */
static uint32_t last_level(uint32_t max_depth)
{
	return max_depth < DEPTH_DRAWN ? max_depth : DEPTH_DRAWN - 1;
}

/* Returns the start of the second graph's heading. */
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

/* Roots are at the bottom of their graph. */
static uint32_t top_of(const struct flame_svg *svg,
		       const struct flame_frame *frame)
{
	return frame->is_second ? first_height(svg) + SECOND_MARGIN +
					  (last_level(svg->second_max_depth) -
					   frame->depth) *
						  FRAME_HEIGHT :
				  TOP_MARGIN + (last_level(svg->max_depth) -
						frame->depth) *
						       FRAME_HEIGHT;
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

bool flame_svg_draws(uint64_t all, uint64_t width)
{
	return width && width >= all / NARROWEST_PART;
}

bool flame_svg_has_level(uint32_t depth)
{
	return depth < DEPTH_DRAWN;
}

void flame_svg_second(const struct flame_svg *svg)
{
	fprintf(svg->out, "<text x=\"10\" y=\"%" PRIu32 "\">",
		first_height(svg) + SECOND_MARGIN - 12);
}

void flame_svg_notes(const struct flame_svg *svg)
{
	fprintf(svg->out, "<text x=\"10\" y=\"%" PRIu32 "\">",
		height_of(svg) - 8);
}

void flame_svg_end(const struct flame_svg *svg)
{
	fprintf(svg->out,
		"</text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n",
		flame_script);
}
