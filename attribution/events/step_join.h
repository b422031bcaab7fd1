/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_STEP_JOIN_H
#define KT_ATTRIBUTION_STEP_JOIN_H

#include "attribution/events/event_handler.h"
#include "report/steps/call_step.h"

#include <stddef.h>

struct known_events;
struct pack;
struct recording;

/* Joins the steps of a recording with its sideband, by time.
 *
 * A record goes before the first step that is later than it.  A tracepoint's
 * record is written in the middle of the functions that the kernel runs for
 * it (perf_trace_*() and below), which take longer than the time of a step is
 * uncertain: so it comes between the steps of the function that it speaks of.
 */
struct step_join;

/* Hands all to the @count handlers at @handlers, in this order.  Borrows
 * all arguments.  Returns NULL when out of memory.
 */
struct step_join *step_join_new(const struct recording *recording,
				const struct known_events *events,
				struct event_handler *const *handlers,
				size_t count);
void step_join_free(struct step_join *join);

/* Where the steps go. */
struct step_callback *step_join_callback(struct step_join *join);

/* All handlers that hang on what was before pack: what they have goes into the file
 * @name of checkpoints, and windows go on from there.  A join that could not read it
 * is of no use.
 */
void step_join_pack_as(struct step_join *join, const char *name);

/* Writes how many records were handed on, or leaves out as many as it reads: a
 * new join then goes on behind them.
 */
void step_join_pack(struct step_join *join, struct pack *pack);

/* Begins with the first record again, for steps from the begin on. */
void step_join_renew(struct step_join *join);

/* Hands on the records after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if records were lost for lack of memory.
 */
int step_join_end(struct step_join *join);

#endif
