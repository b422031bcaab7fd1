/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_STRETCHES_H
#define KT_TABLES_REQUEST_STRETCHES_H

#include "common/array.h"
#include "tables/requests/request_sums.h"

#include <stddef.h>
#include <stdint.h>

struct request;

struct numbered_stretch {
	uint64_t number; /* of the request */
	struct request_stretch is;
};

/* The intervals in which threads had requests; for requests without an answer,
 * only those in which the thread slept and did not wait for the next message.
 */
struct request_stretches {
	struct array all; /* struct numbered_stretch, by request and start */
};

#define REQUEST_STRETCHES_NONE \
	((struct request_stretches){ ARRAY_OF(struct numbered_stretch) })

void request_stretches_free(struct request_stretches *stretches);

/* Adds the intervals of @request, as a callback received it. Returns 0 or
 * -ERROR_MEMORY.
 */
int request_stretches_add(struct request_stretches *stretches,
			  const struct request *request);

/* Sorts the intervals. Must be called after the last was added and before any
 * query.
 */
void request_stretches_sort(struct request_stretches *stretches);

/* The intervals of one request, by start. */
struct request_way {
	const struct numbered_stretch *first;
	size_t count;
};

struct request_way
request_stretches_of(const struct request_stretches *stretches,
		     uint64_t number);

static inline const struct request_stretch *
request_way_at(const struct request_way *way, size_t index)
{
	return &way->first[index].is;
}

/* Returns how much of @task's time from @begin_ns to @end_ns is in interval
 * @index of @way and later ones; 0 if none is in interval @index, or some in an
 * earlier one.
 */
uint64_t request_way_part(const struct request_way *way, size_t index,
			  const struct task *task, uint64_t begin_ns,
			  uint64_t end_ns);

#endif
