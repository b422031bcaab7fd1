/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_STATE_H
#define KT_ATTRIBUTION_REQUESTS_STATE_H

#include "attribution/events/event_handler.h"
#include "attribution/requests/requests.h"
#include "attribution/requests/roles.h"
#include "attribution/time/time_span.h"
#include "common/array.h"
#include "common/keyed_array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct channels;
struct connections;
struct function_marks;
struct packets;
struct task_paths;
struct task_time;

/* When a thread of a process found a message that nobody is known to have sent. */
struct find {
	int32_t pid;
	uint64_t time_ns;
};

enum { FINDS = 32 };

/* What the files of requests share. */
struct requests {
	struct event_handler handler;
	struct span_callback span_callback;
	struct array callbacks; /* struct request_callback * */
	/* has_packets: they are followed in place of sockets. */
	struct requests_options options;
	bool sees_copies; /* of what is read from a pipe */
	struct packets *packets;
	uint32_t late_merges; /* of packets that are not known */
	struct roles roles;
	const struct task_time *time;
	const struct task_paths *paths;
	struct function_marks *kinds;
	struct channels *channels;
	struct connections *connections;
	bool is_over;
	struct find finds[FINDS];   /* the last ones */
	uint32_t find_count;	    /* of all */
	struct number_map children; /* struct hold *, by tid of the child */
	struct number_map items;    /* struct message *, by work item */
	struct number_map readers;  /* pid, by the item that leads there */
	struct keyed_array askers;  /* struct asker */
	struct array deferred;	    /* struct deferred: the newest */
	struct array asked;	    /* struct asked, of block devices */
	struct array done;	    /* struct done, by CPU */
	struct array parties;	    /* struct party *, by task index; NULL */
	struct array open;	    /* struct request *: not handed out */
	size_t known_marks; /* spans that told some, since handing out */
	uint64_t numbers;
	uint64_t end_ns;
	int status;
};

/* Remembers an @error, if it is one. */
static inline void requests_check(struct requests *requests, int error)
{
	if (error < 0)
		requests->status = error;
}

#endif
