/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_REQUESTS_STATE_INTERNAL_H
#define KT_ATTRIBUTION_REQUESTS_REQUESTS_STATE_INTERNAL_H

#include "attribution/events/event_handler.h"
#include "attribution/requests/connections_internal.h"
#include "attribution/requests/request.h"
#include "attribution/time/time_span.h"
#include "common/array.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channels;
struct connections;
struct function_marks;
struct packets;
struct task_paths;
struct task_time;

/* A find: when a thread of process pid read a message whose sender is unknown.
 */
struct find {
	int32_t pid;
	uint64_t time_ns;
	bool is_explained; /* an answer has shown which message it was */
};

enum { FINDS = 32 };

/* The state shared by the files of requests. */
struct requests {
	struct event_handler handler;
	struct span_callback span_callback;
	struct array callbacks; /* struct request_callback * */
	/* has_packets is only set if there are no socket events */
	struct requests_options options;
	bool sees_copies; /* the trace shows copies of data read from pipes */
	struct packets *packets;
	/* merges of unknown packets that are not explained yet */
	uint32_t late_merges;
	struct roles roles;
	const struct task_time *time;
	const struct task_paths *paths;
	struct function_marks *kinds;
	struct channels *channels;
	struct connections *connections;
	bool is_over;
	struct find finds[FINDS];   /* a ring of the newest finds */
	uint32_t find_count;	    /* number of finds so far */
	struct number_map children; /* struct child *, by its tid */
	struct number_map items;    /* struct message *, by work item */
	/* pid of the process that reads, by the work item that carries data to
	 * it
	 */
	struct number_map readers;
	struct keyed_array askers; /* struct asker */
	struct array deferred;	   /* struct deferred: only the newest */
	struct array asked;	   /* struct asked, of block devices */
	struct number_map disks;   /* the devices of completed requests */
	struct array done;	   /* struct done, by CPU */
	/* struct thread_endpoint *, by task index; may be NULL */
	struct array endpoints;
	struct array open; /* struct request *: not emitted yet */
	/* spans that resolved marks since the last emission */
	size_t known_marks;
	uint64_t numbers;
	uint64_t end_ns;
	int status;
};

/* Records @error, if it is negative. */
static inline void requests_check(struct requests *requests, int error)
{
	if (error < 0)
		requests->status = error;
}

#endif
