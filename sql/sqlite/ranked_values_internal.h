/* SPDX-License-Identifier: MIT */
#ifndef KT_SQL_SQLITE_RANKED_VALUES_INTERNAL_H
#define KT_SQL_SQLITE_RANKED_VALUES_INTERNAL_H

#include "common/array.h"

#include <stdint.h>

struct log;

/* A set of numbers, in which the number with a given rank can be looked up. Up
 * to RANKED_RUN numbers (2 MiB) are in memory; beyond that, sorted runs are in
 * a temporary file.
 */
enum { RANKED_RUN = 1 << 18 };

struct ranked_values {
	const struct log *log; /* borrowed */
	struct array recent;   /* int64_t: the incomplete run */
	int runs_fd;	       /* complete runs; -1 if there are none */
	uint64_t runs;
	int cause; /* errno after a function returned -ERROR_SYSTEM */
};

void ranked_values_open(struct ranked_values *values, const struct log *log);
void ranked_values_close(struct ranked_values *values);

/* Adds a number. Returns 0; -ERROR_MEMORY; or -ERROR_SYSTEM, logged, if the
 * temporary file cannot be created or its disk is full.
 */
int ranked_values_add(struct ranked_values *values, int64_t value);

uint64_t ranked_values_count(const struct ranked_values *values);

/* Sets *@value to the number at index @rank (from 0) in ascending order.
 * @rank must be below the count. Returns like ranked_values_add().
 */
int ranked_values_at(struct ranked_values *values, uint64_t rank,
		     int64_t *value);

#endif
