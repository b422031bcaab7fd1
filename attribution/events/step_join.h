/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_EVENTS_STEP_JOIN_H
#define KT_ATTRIBUTION_EVENTS_STEP_JOIN_H

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "report/steps/call_step.h"

#include <stddef.h>

struct known_events;
struct pack;
struct recording;

/* Converts perf's own task switch records to sched_switch events. They contain
 * the same facts, so recording sched_switch as well would only slow the traced
 * kernel down.
 */
struct switch_events;

/* Returns a converter that has seen no record; NULL when out of memory. */
struct switch_events *switch_events_new(void);
void switch_events_free(struct switch_events *switches);

/* Consumes each switch, exit and fork record, in order of time. Exit records
 * are needed because only they show that a task that leaves a CPU has ended.
 *
 * Returns 1 and sets *@event, which borrows @record, if a task leaves a CPU; 0
 * if not; -ERROR_MEMORY.
 */
int switch_events_consume(struct switch_events *switches,
			  const struct sideband_record *record,
			  struct event_record *event);

/* Merges the steps of a recording with its sideband, by time.
 *
 * A sideband record is delivered before the first step of the same or a later
 * time. A tracepoint's record is written inside the functions that the kernel
 * runs for it (perf_trace_*() and their callees). These take longer than the
 * uncertainty of a step's time, so the record is delivered between the steps of
 * the function that contains the tracepoint.
 */
struct step_join;

/* Creates a join that passes all steps and records to the @count handlers at
 * @handlers, in this order. Borrows all arguments. Returns NULL when out of
 * memory.
 */
struct step_join *step_join_new(const struct recording *recording,
				const struct known_events *events,
				struct event_handler *const *handlers,
				size_t count);
void step_join_free(struct step_join *join);

/* Returns the callback that receives the steps. */
struct step_callback *step_join_callback(struct step_join *join);

/* Makes all handlers whose state depends on earlier steps pack it into the
 * checkpoint file @name, from which windows resume. If a checkpoint cannot be
 * read, the states of the handlers are invalid, and step_join_end() reports it.
 */
void step_join_pack_as(struct step_join *join, const char *name);

/* Writes the number of records passed on so far; or reads it and skips as many
 * records, so that a new join resumes after them.
 */
void step_join_pack(struct step_join *join, struct pack *pack);

/* Restarts at the first record, for steps from the start of the trace. */
void step_join_reset(struct step_join *join);

/* Like step_join_reset(), but for the trace of another @recording with the same
 * functions; keeps the cached needs of handlers.
 */
void step_join_reset_to(struct step_join *join,
			const struct recording *recording);

/* Passes on the records after the last step.
 *
 * Returns 0; -ERROR_MEMORY if records were lost for lack of memory; or
 * -ERROR_FORMAT if the state in a checkpoint was invalid.
 */
int step_join_end(struct step_join *join);

#endif
