/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_CAPTURE_H
#define KT_CMD_DIFF_CAPTURE_H

#include "cmd/options/report_options.h"

#include <stdbool.h>
#include <stdio.h>

struct attribution_table;
struct csv_rows;
struct output_file;
struct profile_renderer;
struct recorded;

/* The source of one report of one recording. Exactly one member is set. */
struct diff_report {
	const struct attribution_table *table;
	const struct profile_renderer *renderer; /* writes CSV */
};

/* Reads @report of @recording as CSV into @rows, which the caller frees even
 * after an error. Of a table, sets *@recorded to the recording's facts unless
 * @recorded is NULL. Returns the exit code.
 */
int diff_capture(const struct report_options *options, const char *recording,
		 const struct diff_report *report, struct recorded *recorded,
		 struct csv_rows *rows);

/* Calls @take for each recording in the comma-separated @list until one call
 * returns nonzero. Returns the result of the last call.
 */
int diff_each(const char *list, int (*take)(void *ctx, const char *recording),
	      void *ctx);

/* Output of the comparison: a file or standard output. */
struct diff_output {
	const char *path;	  /* borrowed; NULL: standard output */
	struct output_file *file; /* of @path */
	FILE *out;
};

/* Opens the output that @options select. Returns false after a message. */
bool diff_output_open(const struct report_options *options,
		      struct diff_output *output);

/* Closes @output; discards the file if @status is nonzero. Returns the exit
 * code: @status if it is nonzero, EXIT_FAILED if a write failed, else 0.
 */
int diff_output_close(const struct diff_output *output, int status);

#endif
