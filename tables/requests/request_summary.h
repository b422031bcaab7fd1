/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_SUMMARY_H
#define KT_TABLES_REQUEST_SUMMARY_H

struct array;
struct attribution_input;
struct attribution_output;
struct request_sleeps;

/* Writes @rows (struct request_row) as text: for each client and server the
 * number of requests and their durations, with the times of typical requests
 * and of the slowest; then the slowest requests, a row each.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_NOT_FOUND if no column is called
 * output->sort.
 */
int request_summary_write(const struct array *rows,
			  const struct attribution_input *input,
			  const struct request_sleeps *sleeps,
			  const struct attribution_output *output);

#endif
