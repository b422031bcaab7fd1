/* SPDX-License-Identifier: MIT */
#include "cmd/diff/diff_capture.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "cmd/console/written.h"
#include "cmd/report/attribution_command.h"
#include "cmd/report/profile_command.h"
#include "common/output_file.h"
#include "report/diff/csv_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int run_report(const struct report_options *options,
		      const struct diff_report *report,
		      struct recorded *recorded)
{
	if (report->renderer)
		return run_profile(options, report->renderer);
	return run_attribution(options,
			       &(struct attribution_request){
				       .is_quiet = true,
				       .table = report->table,
				       .recorded = recorded,
			       },
			       1);
}

int diff_capture(const struct report_options *options, const char *recording,
		 const struct diff_report *report, struct recorded *recorded,
		 struct csv_rows *rows)
{
	struct report_options one = *options;
	char *text = NULL;
	size_t size;
	int status;

	*rows = (struct csv_rows){ .text = NULL };
	one.input = recording;
	one.format = "csv";
	one.top = UINT64_MAX;
	one.capture = open_memstream(&text, &size);
	if (!one.capture)
		return EXIT_FAILED;
	status = run_report(&one, report, recorded);
	if (fclose(one.capture) == EOF || status) {
		free(text);
		return status ? status : EXIT_FAILED;
	}
	return csv_rows_read(rows, text) < 0 ? EXIT_FAILED : EXIT_OK;
}

int diff_each(const char *list, int (*take)(void *ctx, const char *recording),
	      void *ctx)
{
	char *copy = strdup(list);
	char *rest = copy;
	const char *recording;
	int status = copy ? EXIT_OK : EXIT_FAILED;

	while (!status && (recording = strsep(&rest, ",")))
		status = take(ctx, recording);
	free(copy);
	return status;
}

bool diff_output_open(const struct report_options *options,
		      struct diff_output *output)
{
	*output =
		(struct diff_output){ .path = options->output, .out = stdout };
	if (!options->output)
		return true;
	output->file = output_file_open(options->output);
	if (output->file)
		output->out = output_file_stream(output->file);
	else
		written_fail(options->output);
	return output->file;
}

int diff_output_close(const struct diff_output *output, int status)
{
	int written;

	if (output->file)
		written = output_file_close(output->file, !status) ?
				  EXIT_OK :
				  written_fail(output->path);
	else
		written = written_stdout();
	return written ? written : status;
}
