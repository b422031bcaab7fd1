/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_flamegraph.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/text/duration_text.h"
#include "report/text/flame_svg.h"
#include "report/text/name_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The position of each path in a flame graph of one side; siblings are sorted
 * by name.
 */
struct diff_layout {
	uint64_t *start_ns; /* by path */
	uint64_t *total_ns; /* by path: its width */
	uint32_t *depth;    /* by path: roots have 0 */
	uint32_t *below;    /* by path: levels below it that have a width */
	uint64_t all_ns;
	uint32_t max_depth; /* of the paths with a width */
};

struct diff_paths {
	struct array nodes; /* struct diff_path */
	struct array open;  /* uint32_t: the last path of each depth */
	struct string_pool *names;
	struct number_map children; /* index + 1 by parent and name */
	uint32_t recordings[2];
	int side;
};

struct diff_paths *diff_paths_new(void)
{
	struct diff_paths *paths = calloc(1, sizeof(*paths));

	if (!paths)
		return NULL;
	paths->nodes = ARRAY_OF(struct diff_path);
	paths->open = ARRAY_OF(uint32_t);
	paths->names = string_pool_new();
	if (paths->names)
		return paths;
	diff_paths_free(paths);
	return NULL;
}

void diff_paths_free(struct diff_paths *paths)
{
	if (!paths)
		return;
	array_free(&paths->nodes);
	array_free(&paths->open);
	string_pool_free(paths->names);
	number_map_free(&paths->children);
	free(paths);
}

static void fold(struct diff_paths *paths)
{
	for (uint32_t i = 0; i < diff_paths_count(paths); i++) {
		struct diff_path *path = array_at(&paths->nodes, i);

		for (int side = 0; side < 2; side++)
			diff_side_fold(&path->sides[side]);
	}
}

void diff_paths_begin(struct diff_paths *paths, int side)
{
	fold(paths);
	paths->open.count = 0;
	paths->side = side;
	paths->recordings[side]++;
}

void diff_paths_end(struct diff_paths *paths)
{
	fold(paths);
}

/* Returns the key of a path. A function has two paths below the same parent if
 * it also ran as interrupt work.
 */
static uint64_t key_of(uint32_t parent, uint32_t name, bool is_interrupt)
{
	return (uint64_t)(parent + 1) << 32 | name << 1 | is_interrupt;
}

/* Returns the path's index, or DIFF_PATH_NONE when out of memory. */
static uint32_t find(struct diff_paths *paths, uint32_t parent, uint32_t name,
		     bool is_interrupt)
{
	uint64_t *index = number_map_add(&paths->children,
					 key_of(parent, name, is_interrupt));
	struct diff_path *path;

	if (!index)
		return DIFF_PATH_NONE;
	if (!*index) {
		path = array_add(&paths->nodes);
		if (!path)
			return DIFF_PATH_NONE;
		path->parent = parent;
		path->name = name;
		path->is_interrupt = is_interrupt;
		*index = paths->nodes.count;
	}
	return (uint32_t)(*index - 1);
}

/* Returns the parent of a path at @depth. */
static uint32_t parent_at(const struct diff_paths *paths, uint32_t depth)
{
	return depth ? *(uint32_t *)array_at(&paths->open, depth - 1) :
		       DIFF_PATH_NONE;
}

int diff_paths_add(struct diff_paths *paths, uint32_t depth, const char *name,
		   bool is_interrupt, const struct diff_value *value)
{
	uint32_t number = string_pool_add(paths->names, name, strlen(name));
	struct diff_value *sum;
	uint32_t index;
	uint32_t *last;

	if (depth > paths->open.count)
		return -ERROR_FORMAT;
	if (number == STRING_POOL_NONE)
		return -ERROR_MEMORY;
	index = find(paths, parent_at(paths, depth), number, is_interrupt);
	paths->open.count = depth;
	last = array_add(&paths->open);
	if (index == DIFF_PATH_NONE || !last)
		return -ERROR_MEMORY;
	*last = index;
	sum = &((struct diff_path *)array_at(&paths->nodes, index))
		       ->sides[paths->side]
		       .current;
	sum->count += value->count;
	sum->total_ns += value->total_ns;
	return 0;
}

uint32_t diff_paths_count(const struct diff_paths *paths)
{
	return (uint32_t)paths->nodes.count;
}

const struct diff_path *diff_paths_at(const struct diff_paths *paths,
				      uint32_t index)
{
	return array_at(&paths->nodes, index);
}

const char *diff_paths_name(const struct diff_paths *paths, uint32_t index)
{
	return string_pool_text(paths->names,
				diff_paths_at(paths, index)->name);
}

/* Returns the number of recordings of each side. */
static const uint32_t *diff_paths_recordings(const struct diff_paths *paths)
{
	return paths->recordings;
}

/* Returns the number by which paths are grouped, their parent's. DIFF_PATH_NONE
 * wraps to 0, so roots come first.
 */
static uint32_t group_of(const struct diff_paths *paths, uint32_t index)
{
	return diff_paths_at(paths, index)->parent + 1;
}

static int compare(const void *a, const void *b, void *ctx)
{
	const struct diff_paths *paths = ctx;
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;
	int order;

	if (group_of(paths, x) != group_of(paths, y))
		return group_of(paths, x) < group_of(paths, y) ? -1 : 1;
	order = strcmp(diff_paths_name(paths, x), diff_paths_name(paths, y));
	if (order)
		return order;
	return x < y ? -1 : x > y;
}

/* Sets the totals of all paths: own time plus that of descendants, which have
 * larger numbers.
 */
static void add_up(const struct diff_paths *paths, int side,
		   struct diff_layout *layout)
{
	const uint32_t *recordings = diff_paths_recordings(paths);

	for (uint32_t i = diff_paths_count(paths); i--;) {
		const struct diff_path *path = diff_paths_at(paths, i);

		layout->total_ns[i] += diff_rounded(
			diff_side_mean(&path->sides[side], recordings[side])
				.total_ns);
		if (path->parent == DIFF_PATH_NONE)
			layout->all_ns += layout->total_ns[i];
		else
			layout->total_ns[path->parent] += layout->total_ns[i];
	}
}

/* Sets the number of levels below each path. Paths have larger numbers than
 * those above them.
 */
static void count_levels(const struct diff_paths *paths,
			 struct diff_layout *layout)
{
	for (uint32_t i = diff_paths_count(paths); i-- > 0;) {
		uint32_t parent = diff_paths_at(paths, i)->parent;
		uint32_t levels = layout->below[i] + 1;

		if (parent != DIFF_PATH_NONE && layout->total_ns[i] &&
		    levels > layout->below[parent])
			layout->below[parent] = levels;
	}
}

/* Sets the start and depth of each path. @order has the paths grouped by
 * parent, parents before children.
 */
static void place(const struct diff_paths *paths, const uint32_t *order,
		  struct diff_layout *layout)
{
	uint32_t group = DIFF_PATH_NONE;
	uint64_t next_ns = 0;

	for (uint32_t i = 0; i < diff_paths_count(paths); i++) {
		uint32_t index = order[i];
		uint32_t parent = diff_paths_at(paths, index)->parent;

		if (parent != group)
			next_ns = layout->start_ns[parent];
		group = parent;
		if (parent != DIFF_PATH_NONE)
			layout->depth[index] = layout->depth[parent] + 1;
		layout->start_ns[index] = next_ns;
		next_ns += layout->total_ns[index];
		if (layout->total_ns[index] &&
		    layout->depth[index] > layout->max_depth)
			layout->max_depth = layout->depth[index];
	}
}

static void layout_free(struct diff_layout *layout)
{
	free(layout->start_ns);
	free(layout->total_ns);
	free(layout->depth);
	free(layout->below);
	*layout = (struct diff_layout){ 0 };
}

/* Lays out @side, 0 or 1. Returns 0 and @layout, which the caller frees with
 * layout_free(), or -ERROR_MEMORY.
 */
static int layout_make(const struct diff_paths *paths, int side,
		       struct diff_layout *layout)
{
	size_t count = (size_t)diff_paths_count(paths) + 1;
	uint32_t *order = calloc(count, sizeof(*order));
	int status = -ERROR_MEMORY;

	*layout = (struct diff_layout){
		.start_ns = calloc(count, sizeof(uint64_t)),
		.total_ns = calloc(count, sizeof(uint64_t)),
		.depth = calloc(count, sizeof(uint32_t)),
		.below = calloc(count, sizeof(uint32_t)),
	};
	if (order && layout->start_ns && layout->total_ns && layout->depth &&
	    layout->below) {
		for (uint32_t i = 0; i + 1 < count; i++)
			order[i] = i;
		qsort_r(order, count - 1, sizeof(*order), compare,
			(void *)(uintptr_t)paths);
		add_up(paths, side, layout);
		place(paths, order, layout);
		count_levels(paths, layout);
		status = 0;
	}
	free(order);
	if (status < 0)
		layout_free(layout);
	return status;
}

struct diff_flame {
	const struct diff_paths *paths;
	struct diff_layout layouts[2]; /* by side */
	struct flame_svg svg;
	uint64_t least_ns[2]; /* by side: narrower frames are left out */
	double most_ns;	      /* the largest change that is not noise */
	double gone_ns;	      /* self time of paths that B lacks */
	uint32_t gone;
};

static double size_of(double change_ns)
{
	return change_ns < 0 ? -change_ns : change_ns;
}

/* Returns a path's change, 0 if it is noise. */
static double change_of(const struct diff_paths *paths,
			const struct diff_path *path)
{
	const uint32_t *recordings = diff_paths_recordings(paths);

	return diff_sides_are_noise(path->sides, recordings) ?
		       0 :
		       diff_sides_change(path->sides, recordings);
}

static void survey(struct diff_flame *flame)
{
	for (uint32_t i = 0; i < diff_paths_count(flame->paths); i++) {
		const struct diff_path *path = diff_paths_at(flame->paths, i);
		double size_ns = size_of(change_of(flame->paths, path));

		if (size_ns && !flame->layouts[1].total_ns[i]) {
			flame->gone++;
			flame->gone_ns += size_ns;
		}
		if (size_ns > flame->most_ns)
			flame->most_ns = size_ns;
	}
}

struct colour {
	char text[24];
};

/* Returns the colour of a change; even the smallest one has a visible tint. */
static struct colour colour_of(const struct diff_flame *flame, double change_ns)
{
	enum { LIGHTEST = 235, RANGE = 205 };
	double part = size_of(change_ns) / flame->most_ns;
	uint8_t rest = (uint8_t)(LIGHTEST - part * RANGE);
	struct colour colour = { "rgb(228,228,228)" };

	if (size_of(change_ns) < 0.5)
		return colour;
	if (change_ns > 0)
		snprintf(colour.text, sizeof(colour.text), "rgb(255,%u,%u)",
			 rest, rest);
	else
		snprintf(colour.text, sizeof(colour.text), "rgb(%u,%u,255)",
			 rest, rest);
	return colour;
}

static const char *note_of(const struct diff_paths *paths,
			   const struct diff_path *path)
{
	if (!path->sides[0].recordings && path->sides[1].recordings)
		return " (new)";
	if (path->sides[0].recordings && !path->sides[1].recordings)
		return " (gone)";
	return diff_sides_are_noise(path->sides, diff_paths_recordings(paths)) ?
		       " (noise)" :
		       "";
}

static void write_frame(const struct diff_flame *flame, int side,
			uint32_t index)
{
	const struct diff_layout *layout = &flame->layouts[side];
	const struct diff_path *path = diff_paths_at(flame->paths, index);
	double change_ns = change_of(flame->paths, path);
	double all_ns = diff_sides_change(path->sides,
					  diff_paths_recordings(flame->paths));
	const struct flame_frame frame = {
		.name = diff_paths_name(flame->paths, index),
		.start = layout->start_ns[index],
		.width = layout->total_ns[index],
		.depth = layout->depth[index],
		.below = layout->below[index],
		.is_interrupt = path->is_interrupt,
		.is_second = side == 0,
	};
	char details[160];

	snprintf(details, sizeof(details), ": %s, %.2f %%; in itself %s%s%s%s",
		 duration_text_of(frame.width).text,
		 100.0 * (double)frame.width / (double)layout->all_ns,
		 all_ns > 0 ? "+" :
		 all_ns < 0 ? "-" :
			      "",
		 duration_text_of(diff_rounded(size_of(all_ns))).text,
		 note_of(flame->paths, path),
		 path->is_interrupt ? ", interrupt" : "");
	flame_svg_frame(&flame->svg, &frame, colour_of(flame, change_ns).text,
			details);
}

static void write_title(const struct diff_flame *flame, const char *title)
{
	FILE *out = flame->svg.out;

	fputs("<text x=\"10\" y=\"20\">", out);
	name_write(out, NAME_XML, title ? title : "Time on CPUs in B");
	fprintf(out,
		", %s; red: longer in itself than in A, blue: shorter"
		"</text>\n",
		duration_text_of(flame->layouts[1].all_ns).text);
}

/* Writes the title of the second graph, whose widths are side A's, so that it
 * shows the paths that B lacks.
 */
static void write_second_title(const struct diff_flame *flame)
{
	FILE *out = flame->svg.out;

	flame_svg_second(&flame->svg);
	fprintf(out, "The same by the time in A, %s. ",
		duration_text_of(flame->layouts[0].all_ns).text);
	if (flame->gone)
		fprintf(out, "Gone (only in A): %" PRIu32 " paths, %s.",
			flame->gone,
			duration_text_of(diff_rounded(flame->gone_ns)).text);
	else
		fputs("No path is only in A.", out);
	fputs("</text>\n", out);
}

static size_t name_length(const void *ctx, uint32_t index)
{
	return strlen(diff_paths_name(ctx, index));
}

/* Returns the least width of the frames of @layout, whose graph may take half
 * of the file's size.
 */
static uint64_t least_of(const struct diff_flame *flame,
			 const struct diff_layout *layout)
{
	const struct flame_frames frames = {
		.width = layout->total_ns,
		.depth = layout->depth,
		.count = diff_paths_count(flame->paths),
		.all = layout->all_ns,
		.name_length = name_length,
		.ctx = flame->paths,
	};

	return flame_svg_least(&frames, FLAME_SVG_BYTES / 2);
}

static void write_side(const struct diff_flame *flame, int side)
{
	const struct diff_layout *layout = &flame->layouts[side];

	for (uint32_t i = 0; i < diff_paths_count(flame->paths); i++)
		if (flame_svg_has_level(layout->depth[i]) &&
		    layout->total_ns[i] >= flame->least_ns[side])
			write_frame(flame, side, i);
}

static void write_notes(const struct diff_flame *flame)
{
	const uint32_t *recordings = diff_paths_recordings(flame->paths);
	FILE *out = flame->svg.out;

	flame_svg_notes(&flame->svg);
	fputs(recordings[0] < 2 && recordings[1] < 2 ?
		      "Only one recording per side, so the noise is unknown." :
		      "Grey: no change, or not more than recordings of one "
		      "side differ by.",
	      out);
}

static void write_all(struct diff_flame *flame, const char *title, FILE *out)
{
	survey(flame);
	flame->svg = (struct flame_svg){
		.out = out,
		.all = flame->layouts[1].all_ns,
		.max_depth = flame->layouts[1].max_depth,
		.second_all = flame->layouts[0].all_ns,
		.second_max_depth = flame->layouts[0].max_depth,
		.unit = "ns",
	};
	for (int side = 0; side < 2; side++)
		flame->least_ns[side] = least_of(flame, &flame->layouts[side]);
	flame_svg_begin(&flame->svg);
	write_title(flame, title);
	write_side(flame, 1);
	if (flame->svg.second_all) {
		write_second_title(flame);
		write_side(flame, 0);
	}
	write_notes(flame);
	flame_svg_end(&flame->svg);
}

int diff_flamegraph_write(const struct diff_paths *paths, const char *title,
			  FILE *out)
{
	struct diff_flame flame = { .paths = paths };
	int status = layout_make(paths, 0, &flame.layouts[0]);

	if (status < 0)
		return status;
	status = layout_make(paths, 1, &flame.layouts[1]);
	if (!status) {
		write_all(&flame, title, out);
		layout_free(&flame.layouts[1]);
	}
	layout_free(&flame.layouts[0]);
	return status;
}
