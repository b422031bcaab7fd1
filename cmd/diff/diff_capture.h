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

/* This is what one report of one recording is made by: one of the two. */
struct diff_report {
	const struct attribution_table *table;
	const struct profile_renderer *renderer; /* of CSV */
};

/* Reads @report of @recording as CSV into @rows, which are to be freed either
 * way.  Returns the exit code.
 */
int diff_capture(const struct report_options *options, const char *recording,
		 const struct diff_report *report, struct csv_rows *rows);

/* Calls @take for each recording of @list, which has commas between them, until
 * one does not return 0.  Returns what the last one did.
 */
int diff_each(const char *list, int (*take)(void *ctx, const char *recording),
	      void *ctx);

/* Where the comparison is written: a file, or standard output. */
struct diff_output {
	struct output_file *file; /* NULL: standard output */
	FILE *out;
};

/* Opens the output of @options.  Returns false after a message. */
bool diff_output_open(const struct report_options *options,
		      struct diff_output *output);

/* Closes @output; a file is not made if @status is not 0.  Returns the exit code:
 * failed if not all was written, or @status, if it is not 0.
 */
int diff_output_close(const struct diff_output *output, int status);

#endif
