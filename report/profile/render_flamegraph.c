/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "report/profile/flame_layout.h"
#include "report/profile/flame_script.h"
#include "report/text/frame_state.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "report/text/task_names.h"
#include "report/text/time_unit.h"
#include "symbolize/function_table.h"

#include <inttypes.h>
#include <string.h>

enum {
	WIDTH = 1200,
	FRAME_HEIGHT = 16,
	TOP_MARGIN = 60,
	BOTTOM_MARGIN = 24,
	LETTER_WIDTH = 7,
	LETTERS_LEAST = 3,
	/* A frame narrower than this part of the whole is left out. */
	NARROWEST_PART = 50000,
};

struct flame {
	const struct profile_report *report;
	const struct time_unit *unit;
	struct flame_layout layout;
	uint64_t left_out;
	uint64_t left_out_ns;	/* of those whose parents are drawn */
	FILE *out;
};

/* What flame_script's label() shows of a name, for viewers that run no script.
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
	/* A character of several bytes stays whole. */
	for (size = room - 2; size && (text[size] & 0xc0) == 0x80;)
		size--;
	name_write_part(out, NAME_XML, text, size);
	fputs("..", out);
}

static bool is_drawn(const struct flame *flame, uint32_t node)
{
	return flame->layout.total_ns[node] &&
	       flame->layout.total_ns[node] >=
		       flame->layout.all_ns / NARROWEST_PART;
}

static const char *const state_colours[FRAME_STATES] = {
	[FRAME_USER] = "rgb(180,210,150)",
	[FRAME_RUNNABLE] = "rgb(245,225,60)",
	[FRAME_ASLEEP] = "rgb(150,110,200)",
	[FRAME_UNKNOWN_GAP] = "rgb(150,150,150)",
	[FRAME_UNKNOWN_FILTERED] = "rgb(170,170,170)",
	[FRAME_UNKNOWN_OFF] = "rgb(170,170,170)",
	[FRAME_UNKNOWN_UNTRACED] = "rgb(170,170,170)",
	[FRAME_UNKNOWN_NO_EVENTS] = "rgb(160,160,160)",
	[FRAME_UNKNOWN_LOST_EVENTS] = "rgb(160,160,160)",
};

/* Warm colours for the kernel, green ones for programs, blue ones for interrupt
 * work; one a name.  A state has its own.
 */
static void write_colour(FILE *out, uint32_t function, const char *name,
			 bool is_break, bool is_user)
{
	uint32_t hash = 2166136261;
	enum frame_state state;

	if (frame_state_of(function, &state)) {
		fputs(state_colours[state], out);
		return;
	}
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	if (is_break)
		fprintf(out, "rgb(%u,%u,%u)", 80 + hash % 60,
			120 + hash / 64 % 70, 215 + hash / 4096 % 40);
	else if (is_user)
		fprintf(out, "rgb(%u,%u,%u)", 110 + hash % 60,
			185 + hash / 64 % 50, 80 + hash / 4096 % 50);
	else
		fprintf(out, "rgb(%u,%u,%u)", 205 + hash % 50,
			70 + hash / 64 % 150, hash / 16384 % 60);
}

static struct function_label node_label(const struct flame *flame,
					uint32_t index)
{
	const struct call_tree *tree = flame->report->tree;
	uint32_t function = call_tree_at(tree, index)->function;
	int32_t pid = call_tree_pid(tree, index);
	struct function_label label;

	if (function != FUNCTION_NONE)
		return function_label_of(flame->report->functions, function,
					 -1);
	if (pid < 0)
		snprintf(label.text, sizeof(label.text), "all");
	else
		snprintf(label.text, sizeof(label.text), "%s-%d",
			 task_names_last(flame->report->names, pid), pid);
	return label;
}

static bool is_of_program(const struct flame *flame, uint32_t function)
{
	enum frame_state state;

	return function != FUNCTION_NONE && !frame_state_of(function, &state) &&
	       function_at(flame->report->functions, function)->space == 'u';
}

static struct duration_text text_of(const struct flame *flame, uint64_t time)
{
	return time_unit_text(flame->unit, time);
}

static void write_frame(const struct flame *flame, uint32_t index)
{
	const struct call_node *node =
		call_tree_at(flame->report->tree, index);
	const struct flame_layout *layout = &flame->layout;
	struct function_label label = node_label(flame, index);
	uint32_t y = TOP_MARGIN +
		     (layout->max_depth - layout->depth[index]) * FRAME_HEIGHT;
	double scale = (double)WIDTH / (double)layout->all_ns;
	FILE *out = flame->out;

	fprintf(out, "<g class=\"f%s\" data-x=\"%" PRIu64 "\" data-w=\"%" PRIu64
		"\" data-d=\"%" PRIu32 "\" data-n=\"",
		node->is_break ? " i" : "", layout->start_ns[index],
		layout->total_ns[index], layout->depth[index]);
	name_write(out, NAME_XML, label.text);
	fputs("\"><title>", out);
	name_write(out, NAME_XML, label.text);
	fprintf(out, ": %s, %.2f %%, %" PRIu64 " calls%s</title>",
		text_of(flame, layout->total_ns[index]).text,
		100.0 * (double)layout->total_ns[index] /
			(double)layout->all_ns,
		call_counts_calls(&node->calls) + node->calls.starts,
		node->is_break ? ", interrupt" : "");
	fprintf(out, "<rect x=\"%.2f\" y=\"%" PRIu32
		"\" width=\"%.2f\" height=\"%d\" fill=\"",
		(double)layout->start_ns[index] * scale, y,
		(double)layout->total_ns[index] * scale, FRAME_HEIGHT - 1);
	write_colour(out, node->function, label.text, node->is_break,
		     is_of_program(flame, node->function));
	fprintf(out, "\"/><text x=\"%.2f\" y=\"%" PRIu32 "\">",
		(double)layout->start_ns[index] * scale + 3, y + 12);
	write_fitting(out, label.text,
		      (double)layout->total_ns[index] * scale);
	fputs("</text></g>\n", out);
}

/* The colours of what is no function. */
static void write_legend(FILE *out)
{
	static const enum frame_state shown[] = {
		FRAME_USER, FRAME_RUNNABLE, FRAME_ASLEEP, FRAME_UNKNOWN_GAP,
	};
	static const char *const texts[] = { "in user code", "runnable",
					     "asleep", "unknown" };
	int x = 80;

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++, x += 130)
		fprintf(out,
			"<rect class=\"legend\" x=\"%d\" y=\"29\" width=\"12\" "
			"height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"40\">"
			"%s</text>\n",
			x, state_colours[shown[i]], x + 18, texts[i]);
}

static const char *title_of(const struct flame *flame)
{
	if (flame->report->title)
		return flame->report->title;
	return flame->unit->is_time ? "Time on CPUs" :
				      "No times: executed on CPUs";
}

static void write_title(const struct flame *flame)
{
	FILE *out = flame->out;

	fputs("<text x=\"10\" y=\"20\">", out);
	name_write(out, NAME_XML, title_of(flame));
	fprintf(out, ", %s%s%s; green: programs, blue: interrupts and "
		     "exceptions</text>\n",
		text_of(flame, flame->layout.all_ns).text,
		flame->unit->is_time ? "" : " ",
		flame->unit->is_time ? "" : flame->unit->name);
}

static void write_head(const struct flame *flame, uint32_t height)
{
	FILE *out = flame->out;

	fprintf(out,
		"<?xml version=\"1.0\" standalone=\"no\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" "
		"width=\"%d\" height=\"%" PRIu32 "\" viewBox=\"0 0 %d %" PRIu32
		"\" data-width=\"%d\" data-all=\"%" PRIu64
		"\" data-unit=\"%s\">\n",
		WIDTH, height, WIDTH, height, WIDTH, flame->layout.all_ns,
		flame->unit->name);
	fputs("<style>text { font: 12px monospace; fill: #000 } "
	      ".f { cursor: pointer } .f text { pointer-events: none } "
	      ".f:hover rect { stroke: #000 } .hit { fill: #e020e0 } "
	      ".b { cursor: pointer; text-decoration: underline }</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
	      out);
	write_title(flame);
	if (flame->report->has_states)
		write_legend(out);
	fprintf(out,
		"<text id=\"reset\" class=\"b\" x=\"10\" y=\"40\">reset</text>"
		"<text id=\"search\" class=\"b\" x=\"%d\" y=\"20\">search"
		"</text><text id=\"matched\" x=\"%d\" y=\"40\"></text>\n",
		WIDTH - 60, WIDTH - 360);
}

static void write_tail(const struct flame *flame, uint32_t height)
{
	fprintf(flame->out, "<text x=\"10\" y=\"%" PRIu32 "\">", height - 8);
	render_gap_note(flame->report, flame->out);
	if (flame->left_out)
		fprintf(flame->out,
			"%" PRIu64 " frames too narrow to draw: %s.",
			flame->left_out,
			text_of(flame, flame->left_out_ns).text);
	fprintf(flame->out,
		"</text>\n<script><![CDATA[\n%s]]></script>\n</svg>\n",
		flame_script);
}

static void write_frames(struct flame *flame)
{
	const struct call_tree *tree = flame->report->tree;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		uint32_t parent = call_tree_at(tree, i)->parent;

		if (is_drawn(flame, i)) {
			write_frame(flame, i);
			continue;
		}
		flame->left_out++;
		if (parent == CALL_NODE_NONE || is_drawn(flame, parent))
			flame->left_out_ns += flame->layout.total_ns[i];
	}
}

int render_flamegraph(const struct profile_report *report, FILE *out)
{
	struct flame flame = {
		.report = report,
		.unit = time_unit_of(report->recording),
		.out = out,
	};
	uint32_t height;
	int status = flame_layout_make(report->tree, report->functions,
				       &flame.layout);

	if (status < 0)
		return status;
	height = TOP_MARGIN + (flame.layout.max_depth + 1) * FRAME_HEIGHT +
		 BOTTOM_MARGIN;
	write_head(&flame, height);
	write_frames(&flame);
	write_tail(&flame, height);
	flame_layout_free(&flame.layout);
	return 0;
}
