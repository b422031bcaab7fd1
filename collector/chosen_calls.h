/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CHOSEN_CALLS_H
#define KT_COLLECTOR_CHOSEN_CALLS_H

#include "collector/gate/gate.h"
#include "collector/gate/gate_lines.h"
#include "common/gate_mark.h"

struct recording_output;
struct recording_setup;
struct ring_drain;

/* The calls in which alone there is trace (--only), and what is written down
 * about that.
 */
struct chosen_calls {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct gate gate;
	struct gate_lines lines;
	size_t choice_spec; /* GATE_CHOICE_EVENT */
};

/* Opens what lets chosen calls alone be traced, and chooses those of the
 * options.  Returns 0 or a negative enum error with the reason in the log, as the
 * others here; without --only all do nothing.
 */
int chosen_calls_open(struct chosen_calls *calls);

/* Begins the stream of each CPU whose trace begins paused. */
int chosen_calls_begin_streams(struct chosen_calls *calls);

/* Writes down that the recording begins or ends, on each CPU. */
int chosen_calls_mark(struct chosen_calls *calls, enum gate_mark_kind kind);

/* Chooses other calls, if somebody has written to options->only_line which.  An
 * error ends the recording.
 */
int chosen_calls_take(struct chosen_calls *calls);

#endif
