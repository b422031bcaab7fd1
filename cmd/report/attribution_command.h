/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_ATTRIBUTION_COMMAND_H
#define KT_CMD_REPORT_ATTRIBUTION_COMMAND_H

/* The tables and profiles of a command, all filled in one pass over a
 * recording.
 *
 * run_attribution() checks each request against the options, opens the
 * session, and makes the pass; then the tables are rendered in the order of
 * the requests. The needs of the tables decide how the pass is made, in this
 * order:
 * - the cached records of all tables (attribution/table_records.h), if they
 *   exist and the window can be made from them: only the window is decoded;
 * - call events alone, if no table needs others: decoding ends when all tables
 *   are done;
 * - call events joined with the kernel's events, through all trackers.
 *
 * A pass that is not read from the cache writes the records that are missing.
 *
 * Invariants:
 * 1. The output is the same in all three cases.
 * 2. A cache that turns out to be damaged is not an error: the tables are
 *    filled again, by decoding.
 *
 * Errors are reported on standard error; functions return the exit code.
 */

#include "cmd/options/report_options.h"
#include "cmd/report/attribution_request_internal.h"
#include "tables/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct profile_renderer;

/* Fills @count tables, 1 to MOST_TABLES, in one pass over the recording that
 * @options select, and shows them. If there are several, each has its name as a
 * heading.
 *
 * Returns the exit code.
 */
int run_attribution(const struct report_options *options,
		    const struct attribution_request *requests, size_t count);

/* Like run_attribution(), but writes the table of @requests[i] to @outs[i],
 * without a heading.
 */
int run_attributions(const struct report_options *options,
		     const struct attribution_request *requests,
		     FILE *const *outs, size_t count);

/* Renders a profile of the recording that @options select: of time on CPUs if
 * @table is NULL, otherwise of the time of @table, which is wall_profile_table
 * or off_cpu_profile_table.
 *
 * Returns the exit code.
 */
int run_profile(const struct report_options *options,
		const struct attribution_table *table,
		const struct profile_renderer *renderer);

#endif
