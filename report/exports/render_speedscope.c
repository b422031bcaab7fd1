/* SPDX-License-Identifier: MIT */
/* The profile as speedscope's JSON, one profile per process. Source: the schema
 * https://www.speedscope.app/file-format-schema.json.
 *
 * A profile has the list of its stacks before the list of their times, so both
 * lists of the current process are collected; the functions follow at the end.
 */
#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "report/profile/profile_report.h"
#include "report/profile/stack_paths.h"
#include "report/text/duration_text.h"
#include "report/text/function_label.h"
#include "report/text/record_writer.h"
#include "symbolize/elf/lines.h"
#include "symbolize/functions/function_table.h"

#include <inttypes.h>

struct speedscope {
	const struct profile_report *report;
	FILE *out;
	struct array frames;	   /* uint32_t: functions by number */
	struct number_map numbers; /* of functions, from 1 */
	uint64_t profiles;	   /* written */
	/* the current process or group */
	int32_t tree;
	uint64_t sum_ns;
	struct byte_buffer stacks;
	struct byte_buffer times;
};

static void write_profile(struct speedscope *speedscope)
{
	const struct profile_report *report = speedscope->report;
	bool is_time = time_unit_of(report->recording)->is_time;
	FILE *out = speedscope->out;

	if (!speedscope->stacks.size)
		return;
	fputs(speedscope->profiles++ ? ",\n" : "", out);
	fputs("{\"type\":\"sampled\",\"name\":", out);
	json_string(out, tree_label(report, speedscope->tree).text);
	fprintf(out,
		",\"unit\":\"%s\",\"startValue\":0,\"endValue\":%" PRIu64
		",\n\"samples\":[",
		is_time ? "nanoseconds" : "none", speedscope->sum_ns);
	fwrite(speedscope->stacks.bytes, 1, speedscope->stacks.size, out);
	fputs("],\n\"weights\":[", out);
	fwrite(speedscope->times.bytes, 1, speedscope->times.size, out);
	fputs("]}", out);
	speedscope->stacks.size = 0;
	speedscope->times.size = 0;
	speedscope->sum_ns = 0;
}

/* Returns the number of @function, from 0; UINT64_MAX when out of memory. */
static uint64_t frame_of(struct speedscope *speedscope, uint32_t function)
{
	uint64_t *number = number_map_add(&speedscope->numbers, function);

	if (!number)
		return UINT64_MAX;
	if (!*number) {
		if (array_append(&speedscope->frames, &function) < 0)
			return UINT64_MAX;
		*number = speedscope->frames.count;
	}
	return *number - 1;
}

/* Appends @value after @before. */
static void add_number(struct byte_buffer *buffer, const char *before,
		       uint64_t value)
{
	char text[32];
	int size = snprintf(text, sizeof(text), "%s%" PRIu64, before, value);

	byte_buffer_add(buffer, text, (size_t)size);
}

static int add_stack(void *ctx, const struct stack_path *path)
{
	struct speedscope *speedscope = ctx;
	struct byte_buffer *stacks = &speedscope->stacks;

	if (!path->self_ns)
		return 0;
	if (speedscope->tree != path->tree)
		write_profile(speedscope);
	speedscope->tree = path->tree;
	speedscope->sum_ns += path->self_ns;
	if (stacks->size)
		byte_buffer_add(stacks, ",\n", 2);
	for (size_t i = 0; i < path->depth; i++) {
		uint64_t frame = frame_of(speedscope, path->functions[i]);

		if (frame == UINT64_MAX)
			return -ERROR_MEMORY;
		add_number(stacks, i ? "," : "[", frame);
	}
	byte_buffer_add(stacks, "]", 1);
	add_number(&speedscope->times, speedscope->times.size ? "," : "",
		   path->self_ns);
	return stacks->failed || speedscope->times.failed ? -ERROR_MEMORY : 0;
}

static void write_frame(const struct speedscope *speedscope, uint32_t number)
{
	const struct profile_report *report = speedscope->report;
	FILE *out = speedscope->out;
	enum frame_state state;
	struct source_line line;

	fputs("{\"name\":", out);
	json_string(out, function_text(report->functions, number));
	if (report->lines && !frame_state_of(number, &state) &&
	    lines_find(report->lines, function_at(report->functions, number), 0,
		       &line)) {
		fputs(",\"file\":", out);
		json_string(out, line.file);
		fprintf(out, ",\"line\":%d", line.line);
	}
	fputc('}', out);
}

int render_speedscope(const struct profile_report *report, FILE *out)
{
	struct speedscope speedscope = {
		.report = report,
		.out = out,
		.frames = ARRAY_OF(uint32_t),
	};
	int status;

	fputs("{\"$schema\":"
	      "\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"ktrace-hw\",\n\"profiles\":[\n",
	      out);
	status = stack_paths_visit(report->tree, report->has_states, add_stack,
				   &speedscope);
	write_profile(&speedscope);
	fputs("],\n\"shared\":{\"frames\":[\n", out);
	for (size_t i = 0; i < speedscope.frames.count; i++) {
		fputs(i ? ",\n" : "", out);
		write_frame(&speedscope,
			    *(uint32_t *)array_at(&speedscope.frames, i));
	}
	fputs("]}}\n", out);
	array_free(&speedscope.frames);
	number_map_free(&speedscope.numbers);
	byte_buffer_free(&speedscope.stacks);
	byte_buffer_free(&speedscope.times);
	return status;
}
