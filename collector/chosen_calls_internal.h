/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_CHOSEN_CALLS_INTERNAL_H
#define KT_COLLECTOR_CHOSEN_CALLS_INTERNAL_H

#include "collector/gate/gate.h"
#include "common/formats/recording_events.h"

struct recording_output;
struct recording_setup;
struct ring_drain;

/* The calls to which tracing is limited (--only), and where their records go.
 */
struct chosen_calls {
	struct recording_setup *setup;
	struct recording_output *output;
	struct ring_drain *drain;
	struct gate gate;
	struct gate_lines lines;
	size_t choice_spec; /* GATE_CHOICE_EVENT */
};

/* Opens the events that limit the trace to chosen calls, and chooses the calls
 * named in the options. Returns 0 or a negative enum error with the reason in
 * the log, like the other functions here. Without --only all functions do
 * nothing.
 */
int chosen_calls_open(struct chosen_calls *calls);

/* Starts the stream of each CPU whose trace starts paused. */
int chosen_calls_begin_streams(struct chosen_calls *calls);

/* Writes a mark on each CPU at the start (GATE_FIRST) or end of the recording;
 * at the start, also records the first choice.
 */
int chosen_calls_mark(struct chosen_calls *calls, enum gate_mark_kind kind);

/* Chooses other calls if a line was written to options->only_line. A line that
 * is refused is logged and changes nothing; an error that is returned ends the
 * recording.
 */
int chosen_calls_take(struct chosen_calls *calls);

#endif
