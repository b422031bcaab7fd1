/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SERVERS_PARTS_H
#define KT_ATTRIBUTION_SERVERS_PARTS_H

#include "attribution/events/event_handler.h"
#include "attribution/processes/message_kinds.h"
#include "attribution/processes/message_order.h"
#include "attribution/time/time_span.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct attribution_input;
struct server_accounts;
struct task;
struct task_paths;
struct task_time;

/* A thread that may serve.  Charges are by number, plus 1; 0: nobody's. */
struct service {
	size_t account;	     /* what its time goes to */
	size_t next_account; /* from when it is awake again */
	/* The message was followed, not guessed: handed over by the sender
	 * itself, to one that waited for nothing else, and no other message
	 * was read since.
	 */
	bool is_exact;
	bool is_next_exact;
	struct message_order order;
};

struct servers {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	struct task_time *time;
	struct task_paths *paths;
	struct message_kinds *kinds;
	struct server_accounts *accounts;
	struct array services; /* struct service by task index */
	int status;
};

/* The inside of servers, shared by its files: servers.c charges time,
 * servers_messages.c says from whom the messages are.
 */

/* Returns what is known of task @index; NULL when out of memory. */
struct service *servers_service(struct servers *servers, uint32_t index);

/* Returns what @task does with messages now. */
enum message_kind servers_kind_of(const struct servers *servers,
				  const struct task *task);

/* Takes sched_waking. */
void servers_take_wakeup(struct servers *servers,
			 const struct event_record *event);

/* Takes the begin or end of a function. */
void servers_take_call(struct servers *servers, const struct call_step *step);

/* A thread executes another program: that is not what its message was for. */
void servers_take_exec(struct servers *servers,
		       const struct sideband_record *record);

#endif
