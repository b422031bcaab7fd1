/* SPDX-License-Identifier: MIT */
#include "report/profile/profile_report.h"

#include "report/profile/call_graph.h"
#include "report/profile/gmon_layout.h"
#include "symbolize/functions/function_table.h"

/* Source of the format: gmon_out.h and gmon_io.c of GNU binutils. */
enum gmon_tag { GMON_HISTOGRAM = 0, GMON_ARC = 1 };
enum { GMON_VERSION = 1 };

static void put_u8(FILE *out, uint8_t value)
{
	fputc(value, out);
}

static void put_u16(FILE *out, uint16_t value)
{
	put_u8(out, (uint8_t)value);
	put_u8(out, (uint8_t)(value >> 8));
}

static void put_u32(FILE *out, uint32_t value)
{
	put_u16(out, (uint16_t)value);
	put_u16(out, (uint16_t)(value >> 16));
}

static void put_u64(FILE *out, uint64_t value)
{
	put_u32(out, (uint32_t)value);
	put_u32(out, (uint32_t)(value >> 32));
}

static void write_header(FILE *out)
{
	const char spare[12] = { 0 };

	fwrite("gmon", 1, 4, out);
	put_u32(out, GMON_VERSION);
	fwrite(spare, 1, sizeof(spare), out);
}

/* Returns the @index-th share of a bin's units: each histogram takes as many as
 * it can hold.
 */
static uint16_t share_of(uint64_t units, uint32_t index)
{
	uint64_t taken = (uint64_t)index * UINT16_MAX;

	if (units <= taken)
		return 0;
	return units - taken < UINT16_MAX ? (uint16_t)(units - taken) :
					    UINT16_MAX;
}

static void write_histogram(const struct function_profile *profile,
			    const struct gmon_scale *scale, uint32_t index,
			    FILE *out)
{
	char dimension[15] = "seconds";

	put_u8(out, GMON_HISTOGRAM);
	put_u64(out, gmon_address(0));
	put_u64(out, gmon_address(profile->row_count));
	put_u32(out, (uint32_t)profile->row_count);
	put_u32(out, scale->rate);
	fwrite(dimension, 1, sizeof(dimension), out);
	put_u8(out, 's');
	for (size_t i = 0; i < profile->row_count; i++)
		put_u16(out,
			share_of(gmon_units(scale, profile->rows[i].self_ns),
				 index));
}

static void write_histograms(const struct function_profile *profile, FILE *out)
{
	struct gmon_scale scale;
	uint64_t max_ns = 0;

	for (size_t i = 0; i < profile->row_count; i++)
		if (profile->rows[i].self_ns > max_ns)
			max_ns = profile->rows[i].self_ns;
	scale = gmon_scale_for(max_ns);
	for (uint32_t i = 0; profile->row_count && i < scale.histograms; i++)
		write_histogram(profile, &scale, i, out);
}

/* gprof's counts have 31 bits; larger counts are split into several arcs. */
static void write_arc(const struct call_arc *arc, uint64_t row_count, FILE *out)
{
	uint64_t calls = call_counts_calls(&arc->calls);
	uint64_t from = gmon_address(arc->caller == CALL_GRAPH_NOBODY ?
					     row_count :
					     arc->caller) +
			1;

	while (calls) {
		uint32_t part = calls < INT32_MAX ? (uint32_t)calls : INT32_MAX;

		put_u8(out, GMON_ARC);
		put_u64(out, from);
		put_u64(out, gmon_address(arc->callee));
		put_u32(out, part);
		calls -= part;
	}
}

int render_gmon(const struct profile_report *report, FILE *out)
{
	struct function_profile profile;
	struct call_graph graph;
	int status = function_profile_make(
		report->tree, function_count(report->functions), &profile);

	if (status < 0)
		return status;
	status = call_graph_make(report->tree, &profile, &graph);
	if (!status) {
		write_header(out);
		write_histograms(&profile, out);
		for (size_t i = 0; i < graph.arc_count; i++)
			write_arc(&graph.arcs[i], profile.row_count, out);
		call_graph_free(&graph);
	}
	function_profile_free(&profile);
	return status;
}
