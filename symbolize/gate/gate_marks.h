/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_MARKS_H
#define KT_SYMBOLIZE_GATE_MARKS_H

#include <stdbool.h>

struct function_event;
struct gate_events;

/* Takes the marks that come before @event, or with it: one that resumes the
 * trace comes with the trace's start, one that pauses it with its stop.
 *
 * Returns whether @event is one that says what its mark says.
 */
bool gate_marks_take(struct gate_events *events,
		     const struct function_event *event);

#endif
