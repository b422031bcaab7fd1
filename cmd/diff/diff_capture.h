/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_CAPTURE_H
#define KT_CMD_DIFF_CAPTURE_H

#include "cmd/options/report_options.h"

#include <stdio.h>

struct attribution_table;
struct csv_rows;
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

/* Opens what @options say of the output; NULL is said to standard error. */
FILE *diff_output_open(const struct report_options *options);

/* Closes @out.  Returns the exit code: failed if not all was written, or
 * @status, if it is not 0.
 */
int diff_output_close(FILE *out, int status);

#endif
