/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_SUMMARY_H
#define KT_TABLES_REQUEST_SUMMARY_H

struct array;
struct attribution_input;
struct attribution_output;
struct request_sleeps;

/* Writes @rows (struct request_row) for people: for each client and server how
 * many requests and how long they took, where the time of typical ones went and
 * that of the slowest; then the slowest ones, a row each.
 *
 * Returns 0, -ERROR_MEMORY, or -ERROR_NOT_FOUND if there is no column
 * output->sort.
 */
int request_summary_write(const struct array *rows,
			  const struct attribution_input *input,
			  const struct request_sleeps *sleeps,
			  const struct attribution_output *output);

#endif
