/* SPDX-License-Identifier: MIT */
#include "cmd/diff/diff_flame.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/diff/diff_capture.h"
#include "cmd/options/report_options.h"
#include "common/error.h"
#include "report/diff/diff_flamegraph.h"
#include "report/diff/diff_table.h"
#include "report/profile/profile_report.h"

/* State while one side is read. */
struct reading {
	struct diff_paths *paths;
	const struct report_options *options;
	int side;
};

static int fail(int error)
{
	say("%s", error_text(error));
	return EXIT_FAILED;
}

static int add_rows(struct diff_paths *paths, const struct csv_rows *rows)
{
	int status = 0;

	for (size_t i = 0; !status && i < csv_rows_count(rows); i++) {
		const struct diff_value value = {
			.count = csv_rows_number(rows, i, "calls"),
			.total_ns = csv_rows_number(rows, i, "self_ns"),
		};

		status = diff_paths_add(
			paths, (uint32_t)csv_rows_number(rows, i, "depth"),
			csv_rows_text(rows, i, "name"),
			csv_rows_number(rows, i, "interrupt") != 0, &value);
	}
	return status < 0 ? fail(status) : EXIT_OK;
}

static int add_recording(void *ctx, const char *recording)
{
	const struct reading *reading = ctx;
	const struct diff_report report = {
		.renderer = profile_renderer_find("diff", "paths"),
	};
	struct csv_rows rows;
	int status;

	diff_paths_begin(reading->paths, reading->side);
	status =
		diff_capture(reading->options, recording, &report, NULL, &rows);
	if (!status)
		status = add_rows(reading->paths, &rows);
	csv_rows_free(&rows);
	return status;
}

static int write_graph(const struct diff_paths *paths,
		       const struct report_options *options)
{
	struct diff_output output;
	int status;

	if (!diff_output_open(options, &output))
		return EXIT_FAILED;
	status = diff_flamegraph_write(paths, options->title, output.out);
	return diff_output_close(&output, status < 0 ? fail(status) : EXIT_OK);
}

int diff_flame(const struct report_options *options)
{
	struct reading reading = {
		.paths = diff_paths_new(),
		.options = options,
	};
	int status;

	if (!reading.paths)
		return fail(-ERROR_MEMORY);
	status = diff_each(options->input, add_recording, &reading);
	reading.side = 1;
	if (!status)
		status = diff_each(options->second, add_recording, &reading);
	diff_paths_end(reading.paths);
	if (!status)
		status = write_graph(reading.paths, options);
	diff_paths_free(reading.paths);
	return status;
}
