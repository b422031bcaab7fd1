/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_EVENT_TEXT_H
#define KT_CMD_EVENT_TEXT_H

#include <stdio.h>

struct function_event;
struct symbols;

/* Writes @event as a line; its functions are looked up in @symbols. */
void event_write(FILE *out, const struct symbols *symbols,
		 const struct function_event *event);

#endif
