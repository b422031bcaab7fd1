/* SPDX-License-Identifier: MIT */
#include "report/diff/diff_flamegraph.h"

#include "report/diff/diff_layout.h"
#include "report/diff/diff_paths.h"
#include "report/text/duration_text.h"
#include "report/text/flame_svg.h"
#include "report/text/name_text.h"

#include <inttypes.h>

struct diff_flame {
	const struct diff_paths *paths;
	struct diff_layout layouts[2]; /* by side */
	struct flame_svg svg;
	double most_ns; /* the largest change that is not noise */
	double gone_ns; /* self time of paths that B lacks */
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

/* Even the smallest change has a visible tint. */
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

/* The widths of side A show the paths that B lacks. */
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

static void write_side(const struct diff_flame *flame, int side)
{
	const struct diff_layout *layout = &flame->layouts[side];

	for (uint32_t i = 0; i < diff_paths_count(flame->paths); i++)
		if (flame_svg_has_level(layout->depth[i]) &&
		    flame_svg_draws(layout->all_ns, layout->total_ns[i]))
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
	int status = diff_layout_make(paths, 0, &flame.layouts[0]);

	if (status < 0)
		return status;
	status = diff_layout_make(paths, 1, &flame.layouts[1]);
	if (!status) {
		write_all(&flame, title, out);
		diff_layout_free(&flame.layouts[1]);
	}
	diff_layout_free(&flame.layouts[0]);
	return status;
}
