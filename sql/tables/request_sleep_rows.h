/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_REQUEST_SLEEP_ROWS_H
#define KT_SQL_REQUEST_SLEEP_ROWS_H

struct attribution_input;
struct request_sleeps;
struct row_out;
struct array;

/* Adds to @out the sleeps of each request of @numbers (uint64_t). Must be
 * called after request_sleeps_end(). Returns 0 or -ERROR_MEMORY.
 */
int request_sleep_rows_add(const struct attribution_input *input,
			   const struct request_sleeps *sleeps,
			   const struct array *numbers, struct row_out *out);

#endif
