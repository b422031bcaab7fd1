/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "tables/relations/latency.h"
#include "tables/relations/latency_names.h"
#include "tables/relations/latency_paths.h"
#include "tables/relations/latency_report.h"
#include "tables/table.h"
#include "tables/text/histogram.h"

#include <stdlib.h>

enum { COLUMN_ON_CPU = HISTOGRAM_COLUMNS, COLUMNS };

static const char *const columns[COLUMNS] = {
	HISTOGRAM_COLUMN_NAMES("count"),
	[COLUMN_ON_CPU] = "on_cpu_ns",
};

static int add_times(struct sparse_rows *rows, const char *section,
		     const char *name, const struct histogram *time,
		     uint64_t on_cpu_ns)
{
	struct sparse_row *row =
		histogram_rows_figures(rows, section, name, time);

	if (!row)
		return -ERROR_MEMORY;
	if (time->count)
		sparse_row_set(row, COLUMN_ON_CPU, on_cpu_ns);
	return 0;
}

static int add_counts(struct sparse_rows *rows,
		      const struct latency_answer *answer)
{
	struct latency_count count;

	for (size_t i = 0; latency_count_at(answer, i, &count); i++) {
		struct sparse_row *row =
			sparse_rows_add(rows, count.name, NULL);

		if (!row)
			return -ERROR_MEMORY;
		sparse_row_set(row, HISTOGRAM_COUNT, count.count);
	}
	return 0;
}

static int add_path(struct sparse_rows *rows,
		    const struct latency_report *report,
		    const struct latency_path *path)
{
	char *text =
		latency_path_name(report->latency, path, report->functions);
	int status = text ? add_times(rows, "path", text, &path->time,
				      path->on_cpu_ns) :
			    -ERROR_MEMORY;

	free(text);
	return status;
}

int latency_report_records(const struct latency_report *report,
			   const struct attribution_output *output,
			   const struct array *paths)
{
	const struct latency_answer *answer = latency_answer(report->latency);
	struct sparse_rows rows = sparse_rows_of(columns, COLUMNS);
	int status = add_times(&rows, "reached", NULL, &answer->time,
			       answer->on_cpu_ns);

	if (!status)
		status = add_counts(&rows, answer);
	if (!status)
		status = histogram_rows_bars(&rows, NULL, &answer->time);
	for (size_t i = 0; !status && i < paths->count; i++)
		status = add_path(&rows, report,
				  *(const struct latency_path **)array_at(paths,
									  i));
	if (!status)
		sparse_rows_write(&rows, output->out, output->format);
	sparse_rows_free(&rows);
	return status;
}
