/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_SERVICE_INTERNAL_H
#define KT_INBAND_SERVICE_INTERNAL_H

#include "serve/serve_message.h"

#include <stdbool.h>
#include <stddef.h>

struct log;
struct thread_events;

/* The connection to `ktrace-hw serve`, for a thread that lacks the rights
 * itself.
 */
struct service {
	int socket;
	int files[SERVE_FILES];
};

#define SERVICE_NONE \
	((struct service){ .socket = -1, .files = { -1, -1, -1, -1 } })

/* Returns the path of the service's socket: $KTRACE_HW_SOCKET, unless the
 * program has more rights than the user who started it; otherwise SERVE_SOCKET.
 */
const char *service_path(void);

/* Requests the trace of @events' thread, which thread_events_find() has found,
 * with a buffer of @buffer_bytes, from the service at @path. Waits up to
 * @wait_ms for each reply. Adds the received events to @events; the caller maps
 * their rings.
 *
 * Returns 0; -ERROR_SYSTEM with errno set, to the service's reason if it
 * refuses; -ERROR_FORMAT; -ERROR_UNSUPPORTED; -ERROR_MEMORY: with the reason in
 * @log. The caller must close @service either way.
 */
int service_open(struct service *service, const char *path, int wait_ms,
		 struct thread_events *events, size_t buffer_bytes,
		 const struct log *log);
void service_close(struct service *service);

/* Closes the descriptors of the kernel's files (the member files) that the
 * service sent. Must be called after they have been read.
 */
void service_close_files(struct service *service);

/* Returns whether the service has ended, so that wake-ups are no longer
 * recorded.
 */
bool service_has_ended(const struct service *service);

#endif
