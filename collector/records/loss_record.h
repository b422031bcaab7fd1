/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LOSS_RECORD_H
#define KT_COLLECTOR_LOSS_RECORD_H

#include <stdint.h>

struct byte_buffer;
struct event;

/* Appends an AUX record like the kernel's: trace of @event's CPU was lost after
 * @offset, which was reached at @time_ns.
 */
void loss_record_add(struct byte_buffer *bytes, const struct event *event,
		     uint64_t offset, uint64_t time_ns);

/* Appends a LOST record like the kernel's: @count records of @event's CPU were
 * lost before @time_ns.
 */
void loss_record_add_records(struct byte_buffer *bytes,
			     const struct event *event, uint64_t count,
			     uint64_t time_ns);

#endif
