/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_STEP_JOIN_H
#define KT_ATTRIBUTION_STEP_JOIN_H

#include "attribution/events/event_handler.h"
#include "report/steps/call_step.h"

#include <stddef.h>

struct known_events;
struct pack;
struct recording;

/* Merges the steps of a recording with its sideband, by time.
 *
 * A sideband record is delivered before the first step that is later than it. A
 * tracepoint's record is written inside the functions that the kernel runs for
 * it (perf_trace_*() and their callees). These take longer than the uncertainty
 * of a step's time, so the record is delivered between the steps of the
 * function that contains the tracepoint.
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
 * checkpoint file @name, from which windows resume. A join that could not read
 * the file must not be used.
 */
void step_join_pack_as(struct step_join *join, const char *name);

/* Writes the number of records passed on. When reading, skips as many records,
 * so that a new join resumes after them.
 */
void step_join_pack(struct step_join *join, struct pack *pack);

/* Restarts at the first record, for steps from the start of the trace. */
void step_join_renew(struct step_join *join);

/* Passes on the records after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if records were lost for lack of memory.
 */
int step_join_end(struct step_join *join);

#endif
