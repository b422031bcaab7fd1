/* SPDX-License-Identifier: MIT */
#include "report/profile/render_flamegraph_internal.h"

#include "common/error.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile_report.h"
#include "report/text/duration_text.h"
#include "report/text/flame_svg.h"
#include "report/text/function_label.h"
#include "report/text/name_text.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct sorter {
	const struct call_tree *tree;
	const struct function_table *functions;
};

static uint32_t group_of(const struct call_node *node)
{
	/* CALL_NODE_NONE wraps to 0, so roots come first. */
	return node->parent + 1;
}

static int compare_processes(int32_t a, int32_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_nodes(const void *a, const void *b, void *ctx)
{
	const struct sorter *sorter = ctx;
	uint32_t first = *(const uint32_t *)a;
	uint32_t second = *(const uint32_t *)b;
	const struct call_node *x = call_tree_at(sorter->tree, first);
	const struct call_node *y = call_tree_at(sorter->tree, second);
	int order;

	if (group_of(x) != group_of(y))
		return group_of(x) < group_of(y) ? -1 : 1;
	if (x->function == FUNCTION_NONE)
		return compare_processes(call_tree_pid(sorter->tree, first),
					 call_tree_pid(sorter->tree, second));
	order = strcmp(function_text(sorter->functions, x->function),
		       function_text(sorter->functions, y->function));
	if (order)
		return order;
	return first < second ? -1 : 1;
}

/* Sets the number of levels below each node. Children have larger numbers than
 * their parents.
 */
static void count_levels(const struct call_tree *tree,
			 struct flame_layout *layout)
{
	for (uint32_t i = call_tree_count(tree); i-- > 0;) {
		uint32_t parent = call_tree_at(tree, i)->parent;
		uint32_t levels = layout->below[i] + 1;

		if (parent != CALL_NODE_NONE && levels > layout->below[parent])
			layout->below[parent] = levels;
	}
}

/* Sets the start and depth of each node. @order has the nodes grouped by
 * parent, parents before children.
 */
static void place(const struct call_tree *tree, const uint32_t *order,
		  struct flame_layout *layout)
{
	uint32_t group = CALL_NODE_NONE;
	uint64_t next_ns = 0;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		uint32_t index = order[i];
		uint32_t parent = call_tree_at(tree, index)->parent;
		uint32_t depth = 0;

		if (parent != group)
			next_ns = layout->start_ns[parent];
		group = parent;
		if (parent != CALL_NODE_NONE)
			depth = layout->depth[parent] + 1;
		layout->start_ns[index] = next_ns;
		layout->depth[index] = depth;
		next_ns += layout->total_ns[index];
		if (depth > layout->max_depth)
			layout->max_depth = depth;
		if (parent == CALL_NODE_NONE)
			layout->all_ns += layout->total_ns[index];
	}
}

int flame_layout_make(const struct call_tree *tree,
		      const struct function_table *functions,
		      struct flame_layout *layout)
{
	struct sorter sorter = { tree, functions };
	uint32_t count = call_tree_count(tree);
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
	int status = -ERROR_MEMORY;

	*layout = (struct flame_layout){
		.start_ns = calloc((size_t)count + 1, sizeof(uint64_t)),
		.total_ns = call_tree_totals(tree),
		.depth = calloc((size_t)count + 1, sizeof(uint32_t)),
		.below = calloc((size_t)count + 1, sizeof(uint32_t)),
	};
	if (order && layout->start_ns && layout->total_ns && layout->depth &&
	    layout->below) {
		for (uint32_t i = 0; i < count; i++)
			order[i] = i;
		qsort_r(order, count, sizeof(*order), compare_nodes, &sorter);
		place(tree, order, layout);
		count_levels(tree, layout);
		status = 0;
	}
	free(order);
	if (status < 0)
		flame_layout_free(layout);
	return status;
}

void flame_layout_free(struct flame_layout *layout)
{
	free(layout->start_ns);
	free(layout->total_ns);
	free(layout->depth);
	free(layout->below);
	*layout = (struct flame_layout){ 0 };
}

struct flame {
	const struct profile_report *report;
	const struct time_unit *unit;
	struct flame_layout layout;
	struct flame_svg svg;
	uint64_t least_ns; /* narrower frames are left out */
	uint64_t left_out;
	/* time of the frames left out whose parents are drawn */
	uint64_t left_out_ns;
	FILE *out;
};

static bool is_drawn(const struct flame *flame, uint32_t node)
{
	return flame->layout.total_ns[node] >= flame->least_ns;
}

/* Each colour has one meaning, the same as in the page (view/page/theme.js). */
static const char *const state_colours[FRAME_STATES] = {
	[FRAME_LEFT_OUT] = "#e1e1e1",
	[FRAME_USER] = "#5f9fee",
	[FRAME_RUNNABLE] = "#ffe04d",
	[FRAME_ASLEEP] = "#d3d7e2",
	[FRAME_NOT_ASKED] = "#b39a6b",
	[FRAME_UNKNOWN_GAP] = "#b57be0",
	[FRAME_UNKNOWN_FILTERED] = "#f2a0c6",
	[FRAME_UNKNOWN_OFF] = "#8d97ad",
	[FRAME_UNKNOWN_UNTRACED] = "#cfc3ff",
	[FRAME_UNKNOWN_NO_EVENTS] = "#a4d3c9",
	[FRAME_UNKNOWN_LOST_EVENTS] = "#c9744a",
};

/* The kinds of code that frames have colours for. */
enum code_kind { CODE_KERNEL, CODE_MODULE, CODE_USER, CODE_INTERRUPT, CODES };

static const struct {
	int hue; /* degrees */
	const char *text;
} codes[CODES] = {
	[CODE_KERNEL] = { 30, "kernel" },
	[CODE_MODULE] = { 75, "kernel module" },
	[CODE_USER] = { 205, "program, library" },
	[CODE_INTERRUPT] = { 355, "interrupt" },
};

struct colour {
	char text[24];
};

/* Returns the red (@offset 0), green (8) or blue (4) component of a colour,
 * from 0 to 255: see CSS Color Module Level 3, HSL. @hue is in degrees;
 * @saturation and @lightness are from 0 to 1.
 */
static uint32_t colour_part(int offset, int hue, double saturation,
			    double lightness)
{
	double strength =
		saturation * (lightness < 0.5 ? lightness : 1 - lightness);
	double k = offset + hue / 30.;
	double slope;

	while (k >= 12)
		k -= 12;
	slope = k - 3 < 9 - k ? k - 3 : 9 - k;
	slope = slope > 1 ? 1 : slope < -1 ? -1 : slope;
	return (uint32_t)((lightness - strength * slope) * 255 + 0.5);
}

/* Returns a shade of the hue of @kind; @hash is of the name and chooses the
 * shade.
 */
static struct colour shade_of(enum code_kind kind, uint32_t hash)
{
	int hue = (codes[kind].hue + 348 + (int)(hash % 25)) % 360;
	double saturation = 0.55 + hash / 64 % 30 / 100.;
	double lightness = 0.66 + hash / 4096 % 16 / 100.;
	struct colour colour;

	snprintf(colour.text, sizeof(colour.text), "rgb(%u,%u,%u)",
		 colour_part(0, hue, saturation, lightness),
		 colour_part(8, hue, saturation, lightness),
		 colour_part(4, hue, saturation, lightness));
	return colour;
}

/* Returns the kind of @function, which must not be a state. */
static enum code_kind kind_of(const struct flame *flame, uint32_t function,
			      bool is_interrupt)
{
	const struct function *of =
		function_at(flame->report->functions, function);

	if (is_interrupt)
		return CODE_INTERRUPT;
	if (of->space == 'u')
		return CODE_USER;
	return *of->module ? CODE_MODULE : CODE_KERNEL;
}

/* Returns a frame's colour: that of its state or kind of code; processes have
 * none.
 */
static struct colour colour_of(const struct flame *flame, uint32_t function,
			       const char *name, bool is_interrupt)
{
	uint32_t hash = 2166136261;
	struct colour colour = { "#c9cdd6" };
	enum frame_state state;

	if (function == FUNCTION_NONE)
		return colour;
	if (frame_state_of(function, &state)) {
		snprintf(colour.text, sizeof(colour.text), "%s",
			 state_colours[state]);
		return colour;
	}
	for (; *name; name++)
		hash = (hash ^ (uint8_t)*name) * 16777619;
	return shade_of(kind_of(flame, function, is_interrupt), hash);
}

static struct function_label node_label(const struct flame *flame,
					uint32_t index)
{
	const struct call_tree *tree = flame->report->tree;
	uint32_t function = call_tree_at(tree, index)->function;
	int32_t number = call_tree_pid(tree, index);
	struct function_label label;

	if (function != FUNCTION_NONE)
		return function_label_of(flame->report->functions, function,
					 -1);
	snprintf(label.text, sizeof(label.text), "%s",
		 tree_label(flame->report, number).text);
	return label;
}

static struct duration_text text_of(const struct flame *flame, uint64_t time)
{
	return time_unit_text(flame->unit, time);
}

static void write_frame(const struct flame *flame, uint32_t index)
{
	const struct call_node *node = call_tree_at(flame->report->tree, index);
	const struct call_counts calls =
		call_tree_calls(flame->report->tree, index);
	const struct flame_layout *layout = &flame->layout;
	struct function_label label = node_label(flame, index);
	const struct flame_frame frame = {
		.name = label.text,
		.start = layout->start_ns[index],
		.width = layout->total_ns[index],
		.depth = layout->depth[index],
		.below = layout->below[index],
		.is_interrupt = node->interrupt,
	};
	char count[32] = "";
	char details[128];

	if (!flame->report->has_no_calls)
		snprintf(count, sizeof(count), ", %" PRIu64 " calls",
			 call_counts_calls(&calls) + calls.starts);
	snprintf(details, sizeof(details), ": %s, %.2f %%%s%s%s",
		 text_of(flame, frame.width).text,
		 100.0 * (double)frame.width / (double)layout->all_ns, count,
		 node->interrupt ? ", interrupt" : "",
		 call_tree_inferred_ns(flame->report->tree, index) ?
			 ", inferred" :
			 "");
	flame_svg_frame(&flame->svg, &frame,
			colour_of(flame, node->function, label.text,
				  node->interrupt)
				.text,
			details);
}

static int write_entry(const char *colour, const char *text, int x, FILE *out)
{
	fprintf(out,
		"<rect class=\"legend\" x=\"%d\" y=\"29\" width=\"12\" "
		"height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"40\">"
		"%s</text>\n",
		x, colour, x + 18, text);
	return x + 36 + 7 * (int)strlen(text);
}

/* Writes the meaning of the colours: of code, and of states if there are any.
 */
static void write_legend(const struct flame *flame)
{
	static const enum frame_state shown[] = {
		FRAME_USER,	 FRAME_RUNNABLE,    FRAME_ASLEEP,
		FRAME_NOT_ASKED, FRAME_UNKNOWN_GAP,
	};
	static const char *const texts[] = { "in user code", "runnable",
					     "asleep", "not asked for",
					     "unknown" };
	size_t states =
		flame->report->has_states ? sizeof(shown) / sizeof(*shown) : 0;
	/* A hash for which shade_of() returns the middle shade of each kind. */
	const uint32_t middle = 33612;
	int x = 60;

	for (int i = 0; i < CODES; i++)
		x = write_entry(shade_of((enum code_kind)i, middle).text,
				codes[i].text, x, flame->out);
	for (size_t i = 0; i < states; i++)
		x = write_entry(state_colours[shown[i]], texts[i], x,
				flame->out);
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
	fprintf(out, ", %s</text>\n",
		time_unit_amount(flame->unit, flame->layout.all_ns).text);
}

static void write_notes(const struct flame *flame)
{
	flame_svg_notes(&flame->svg);
	render_gap_note(flame->report, flame->out);
	if (flame->left_out)
		fprintf(flame->out,
			"%" PRIu64 " frames too narrow to draw: %s.",
			flame->left_out,
			text_of(flame, flame->left_out_ns).text);
}

static void write_frames(struct flame *flame)
{
	const struct call_tree *tree = flame->report->tree;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		uint32_t parent = call_tree_at(tree, i)->parent;

		if (!flame_svg_has_level(flame->layout.depth[i]))
			continue;
		if (is_drawn(flame, i)) {
			write_frame(flame, i);
			continue;
		}
		flame->left_out++;
		if (parent == CALL_NODE_NONE || is_drawn(flame, parent))
			flame->left_out_ns += flame->layout.total_ns[i];
	}
}

static size_t name_length(const void *ctx, uint32_t index)
{
	const struct flame *flame = ctx;
	uint32_t function = call_tree_at(flame->report->tree, index)->function;

	return function == FUNCTION_NONE ?
		       sizeof(struct function_label) / 8 :
		       strlen(function_text(flame->report->functions,
					    function));
}

int render_flamegraph(const struct profile_report *report, FILE *out)
{
	struct flame flame = {
		.report = report,
		.unit = time_unit_of(report->recording),
		.out = out,
	};
	int status = flame_layout_make(report->tree, report->functions,
				       &flame.layout);

	if (status < 0)
		return status;
	flame.svg = (struct flame_svg){
		.out = out,
		.all = flame.layout.all_ns,
		.max_depth = flame.layout.max_depth,
		.unit = flame.unit->name,
	};
	flame.least_ns = flame_svg_least(
		&(struct flame_frames){
			.width = flame.layout.total_ns,
			.depth = flame.layout.depth,
			.count = call_tree_count(report->tree),
			.all = flame.layout.all_ns,
			.name_length = name_length,
			.ctx = &flame,
		},
		FLAME_SVG_BYTES);
	flame_svg_begin(&flame.svg);
	write_title(&flame);
	write_legend(&flame);
	write_frames(&flame);
	write_notes(&flame);
	flame_svg_end(&flame.svg);
	flame_layout_free(&flame.layout);
	return 0;
}
