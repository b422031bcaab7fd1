/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_TIMES_H
#define KT_TABLES_SERVER_TIMES_H

#include "attribution/requests/thread_clock.h"
#include "common/array.h"
#include "report/steps/time_window.h"

#include <stdint.h>

struct server_record;

/* One thread's time in a window. */
struct server_thread {
	uint32_t thread;
	int32_t pid;
	struct array stretches; /* struct server_record, by time */
	uint64_t parts[REQUEST_PARTS];
};

/* Threads' times in a window, and the clients they were for: an interval of
 * work for a client may begin before the window or end after it. Memory grows
 * with the window.
 */
struct server_times {
	struct time_window window;
	struct keyed_array threads; /* struct server_thread, by thread */
	struct array holds;	    /* struct server_record */
};

struct server_times server_times_of(struct time_window window);
void server_times_free(struct server_times *times);

/* Adds the part of @record, a SERVER_STRETCH or a SERVER_HOLD, that is in the
 * window. A thread's SERVER_STRETCH records must be added in order of time.
 * Returns 0 or -ERROR_MEMORY.
 */
int server_times_add(struct server_times *times,
		     const struct server_record *record);

/* Sets @parts to the time of @hold's thread in @hold, one of times->holds, as
 * far as it is in the window. Must be called after the last server_times_add().
 */
void server_times_of_hold(const struct server_times *times,
			  const struct server_record *hold,
			  uint64_t parts[REQUEST_PARTS]);

#endif
