/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENTS_EVENT_TEXT_H
#define KT_CMD_EVENTS_EVENT_TEXT_H

#include <stdio.h>

struct flow_item;
struct function_event;
struct line_buffer;
struct symbols;

/* Writes @event as a line; its functions are looked up in @symbols. */
void event_write(FILE *out, const struct symbols *symbols,
		 const struct function_event *event);

/* Writes @item as a line of dump --blocks. Must be fast: dumps have millions of
 * items.
 */
void item_text_write(struct line_buffer *out, const struct flow_item *item);

#endif
