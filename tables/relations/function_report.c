/* SPDX-License-Identifier: MIT */
#include "tables/relations/function_report.h"

#include "report/text/duration_text.h"
#include "report/text/name_text.h"
#include "report/text/record_writer.h"
#include "symbolize/functions/function_table.h"
#include "tables/relations/function_trees.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

#include <inttypes.h>

enum { RELATIONS_SHOWN = 20 };

const char *function_report_time_name(enum study_time time)
{
	switch (time) {
	case STUDY_WALL:
		return "wall_ns";
	case STUDY_ON_CPU:
		return "on_cpu_ns";
	case STUDY_SELF:
		return "self_ns";
	case STUDY_OFF_CPU:
		return "off_cpu_ns";
	case STUDY_TIMES:
		break;
	}
	return "";
}

const char *function_report_relation(const struct function_report *report,
				     const struct function_relation *relation)
{
	if (relation->function == FUNCTION_NONE)
		return "";
	return function_at(report->functions, relation->function)->name;
}

/* Context of a table's fields. */
struct text_table {
	const struct function_report *report;
	const struct array *relations;
	uint64_t all_ns;
};

static void write_relation(struct record_writer *writer, const void *ctx,
			   uint64_t index)
{
	const struct text_table *table = ctx;
	const struct function_relation *relation =
		array_at(table->relations, index);
	const char *name = function_report_relation(table->report, relation);

	record_number(writer, "calls", call_counts_calls(&relation->calls));
	record_number(writer, "starts", relation->calls.starts);
	record_number(writer, "self_ns", relation->self_ns);
	record_number(writer, "total_ns", relation->total_ns);
	record_real(writer, "percent",
		    table->all_ns ? 100.0 * (double)relation->total_ns /
					    (double)table->all_ns :
				    0,
		    1);
	record_text(writer, "how",
		    relation->is_interrupt ? "interrupt" : "call");
	record_text(writer, "function", *name ? name : "(nobody seen)");
}

static void write_relations(const struct function_report *report,
			    const struct attribution_output *output,
			    const char *title, const struct array *relations)
{
	struct record_writer writer =
		record_writer_of(output->out, RECORD_TABLE);
	const struct text_table table = {
		.report = report,
		.relations = relations,
		.all_ns = report->relations->total_ns,
	};
	uint64_t count = relations->count;

	fprintf(output->out, "\n%s, times on a CPU\n\n", title);
	if (!count)
		fputs("  none\n", output->out);
	if (count > RELATIONS_SHOWN && output->top == UINT64_MAX)
		count = RELATIONS_SHOWN;
	if (count > output->top)
		count = output->top;
	record_writer_table(&writer, write_relation, &table, count);
	if (count < relations->count)
		fprintf(output->out, "and %zu more\n",
			relations->count - (size_t)count);
}

static void write_time(struct record_writer *writer, const void *ctx,
		       uint64_t index)
{
	const struct text_table *table = ctx;
	const struct histogram *time =
		function_study_time(table->report->study, index);

	record_text(writer, "time",
		    record_head_of(
			    function_report_time_name((enum study_time)index),
			    INT16_MAX)
			    .lines[1]);
	record_number(writer, "min_ns", time->min);
	record_number(writer, "mean_ns", histogram_mean(time));
	record_number(writer, "median_ns", histogram_quantile(time, 0.5));
	record_number(writer, "p99_ns", histogram_quantile(time, 0.99));
	record_number(writer, "max_ns", time->max);
	record_number(writer, "total_ns", time->total);
}

static void write_head(const struct function_report *report, FILE *out)
{
	const struct call_counts *calls = &report->relations->calls;

	fputs("Function ", out);
	name_write(out, NAME_TEXT, report->name);
	fprintf(out,
		"\n\n  calls %" PRIu64 " (direct %" PRIu64 ", tail %" PRIu64
		", interrupt %" PRIu64 "), starts %" PRIu64
		", inferred %" PRIu64 "\n  on a CPU: self %s, total %s\n",
		call_counts_calls(calls), calls->direct, calls->tail,
		calls->async, calls->starts, calls->inferred,
		duration_text_of(report->relations->self_ns).text,
		duration_text_of(report->relations->total_ns).text);
}

static int write_times(const struct function_report *report, FILE *out)
{
	struct record_writer writer = record_writer_of(out, RECORD_TABLE);
	const struct text_table table = { .report = report };
	const struct histogram *wall =
		function_study_time(report->study, STUDY_WALL);

	fprintf(out,
		"\nTimes of the %" PRIu64
		" calls that were seen from start to end\n\n",
		wall->count);
	if (!wall->count)
		return 0;
	record_writer_table(&writer, write_time, &table, STUDY_TIMES);
	fputs("\nDistribution of wall time\n\n", out);
	return histogram_bars_draw(wall, out);
}

int function_report_text(const struct function_report *report,
			 const struct attribution_output *output)
{
	int status;

	write_head(report, output->out);
	write_relations(report, output, "Callers", &report->relations->callers);
	write_relations(report, output, "Callees", &report->relations->callees);
	status = write_times(report, output->out);
	if (status < 0 ||
	    !function_study_time(report->study, STUDY_WALL)->count)
		return status;
	status = function_trees_slow(report, output);
	return status < 0 ? status :
			    function_trees_comparison(report, output->out);
}
