/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_RANKED_VALUES_H
#define KT_SQL_RANKED_VALUES_H

#include "common/array.h"

#include <stdint.h>

struct log;

/* Numbers of which one is asked for by its place in their order.  Memory is for
 * RANKED_RUN of them, 2 MiB; of more, sorted runs are in a temporary file, which is
 * searched in place.
 */
enum { RANKED_RUN = 1 << 18 };

struct ranked_values {
	const struct log *log; /* borrowed */
	struct array recent;   /* int64_t: the run that is not full yet */
	int runs_fd;	       /* full ones; -1: there are none */
	uint64_t runs;
};

void ranked_values_open(struct ranked_values *values, const struct log *log);
void ranked_values_close(struct ranked_values *values);

/* Adds one.  Returns 0; -ERROR_MEMORY; -ERROR_SYSTEM, said to the log: no
 * temporary file, or its disk is full.
 */
int ranked_values_add(struct ranked_values *values, int64_t value);

uint64_t ranked_values_count(const struct ranked_values *values);

/* Sets *@value to that at @place, from 0 on, of all in ascending order; it must be
 * below their count.  Returns as above.
 */
int ranked_values_at(struct ranked_values *values, uint64_t place,
		     int64_t *value);

#endif
