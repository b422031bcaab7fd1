/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_TIMES_H
#define KT_TABLES_SERVER_TIMES_H

#include "attribution/requests/thread_clock.h"
#include "common/array.h"
#include "common/keyed_array.h"
#include "report/steps/time_window.h"

#include <stdint.h>

struct server_record;

/* What one thread did in a window. */
struct server_thread {
	uint32_t thread;
	int32_t pid;
	struct array stretches; /* struct server_record, by time */
	uint64_t parts[REQUEST_PARTS];
};

/* What threads did in a window, and for which clients: a stretch of work for one may
 * begin before the window or end behind it.  Memory grows with the window.
 */
struct server_times {
	struct time_window window;
	struct keyed_array threads; /* struct server_thread, by thread */
	struct array holds;	    /* struct server_record */
};

struct server_times server_times_of(struct time_window window);
void server_times_free(struct server_times *times);

/* Adds what lies in the window of a SERVER_STRETCH or a SERVER_HOLD; a thread's
 * stretches come in the order of their times.  Returns 0 or -ERROR_MEMORY.
 */
int server_times_add(struct server_times *times,
		     const struct server_record *record);

/* Sets @parts to what the thread of @hold, one of times->holds, did in it, as far as
 * that lies in the window; after all was added.
 */
void server_times_of_hold(const struct server_times *times,
			  const struct server_record *hold,
			  uint64_t parts[REQUEST_PARTS]);

#endif
