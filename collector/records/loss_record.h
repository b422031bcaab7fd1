/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LOSS_RECORD_H
#define KT_COLLECTOR_LOSS_RECORD_H

#include <stdint.h>

struct byte_buffer;
struct event;

/* Appends a record AUX, as the kernel would: trace of @event's CPU was lost
 * behind @offset, which was reached at @time_ns.
 */
void loss_record_add(struct byte_buffer *bytes, const struct event *event,
		     uint64_t offset, uint64_t time_ns);

/* Appends a record LOST, as the kernel would: @count records of @event's CPU
 * were lost before @time_ns.
 */
void loss_record_add_records(struct byte_buffer *bytes,
			     const struct event *event, uint64_t count,
			     uint64_t time_ns);

#endif
