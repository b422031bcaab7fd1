/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_REQUEST_STRETCHES_H
#define KT_TABLES_REQUEST_STRETCHES_H

#include "common/array.h"
#include "tables/requests/request_sums.h"

#include <stddef.h>
#include <stdint.h>

struct request;

struct numbered_stretch {
	uint64_t number; /* the request's */
	struct request_stretch is;
};

/* The stretches of threads' lives on the ways of requests: of one without an answer,
 * those in which the thread slept and did not wait for the next message.
 */
struct request_stretches {
	struct array all; /* struct numbered_stretch, by request and begin */
};

#define REQUEST_STRETCHES_NONE \
	((struct request_stretches){ ARRAY_OF(struct numbered_stretch) })

void request_stretches_free(struct request_stretches *stretches);

/* Adds those of @request, which was handed out.  Returns 0 or -ERROR_MEMORY. */
int request_stretches_add(struct request_stretches *stretches,
			  const struct request *request);

/* Puts them in order, after the last was added and before any is asked for. */
void request_stretches_sort(struct request_stretches *stretches);

/* The stretches of one request, as they begin. */
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

/* Returns how much of the time from @begin_ns to @end_ns of @task is in stretch @index
 * of @way and in later ones; 0 if none is in that one, or some in an earlier one.
 */
uint64_t request_way_part(const struct request_way *way, size_t index,
			  const struct task *task, uint64_t begin_ns,
			  uint64_t end_ns);

#endif
