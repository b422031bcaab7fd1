/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_SERVICE_H
#define KT_INBAND_SERVICE_H

#include "serve/serve_message.h"

#include <stdbool.h>
#include <stddef.h>

struct log;
struct thread_events;

/* What `ktrace-hw serve` does for a thread that lacks the rights itself. */
struct service {
	int socket;
	int files[SERVE_FILES];
};

#define SERVICE_NONE \
	((struct service){ .socket = -1, .files = { -1, -1, -1, -1 } })

/* Returns where the service is looked for: in $KTRACE_HW_SOCKET, unless the
 * program has more rights than who started it, or SERVE_SOCKET.
 */
const char *service_path(void);

/* Asks the service at @path for the trace of @events' thread, which
 * thread_events_find() has found, with a buffer of @buffer_bytes.  Each answer has
 * @wait_ms to come.  The events are @events' then, which are not mapped yet.
 *
 * Returns 0; -ERROR_SYSTEM with errno set, to EACCES where the service refuses
 * who asks; -ERROR_FORMAT; -ERROR_UNSUPPORTED; -ERROR_MEMORY: with the reason in
 * @log.  Close @service either way.
 */
int service_open(struct service *service, const char *path, int wait_ms,
		 struct thread_events *events, size_t buffer_bytes,
		 const struct log *log);
void service_close(struct service *service);

/* Closes the files, which have been read. */
void service_close_files(struct service *service);

/* Returns whether it has ended, so that wake-ups are not recorded any more. */
bool service_has_ended(const struct service *service);

#endif
