/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_EVENT_REFUSAL_H
#define KT_COLLECTOR_EVENT_REFUSAL_H

#include <stddef.h>

struct event_spec;
struct log;

/* Logs to @log why an event of @spec could not be opened or mapped, and the
 * remedy. @error is the negative enum error, with errno unchanged since.
 * @buffer_bytes is the size of each trace buffer.
 *
 * Returns @error.
 */
int event_refusal_say(const struct event_spec *spec, size_t buffer_bytes,
		      int error, const struct log *log);

#endif
