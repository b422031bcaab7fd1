/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_DELAY_H
#define KT_REPORT_STEP_DELAY_H

#include "report/steps/call_step.h"

/* Delays call events, in order, until it is known whether each entered function
 * lasts at least @min_ns.
 */
struct step_delay;

/* Borrows @next.  Returns NULL when out of memory. */
struct step_delay *step_delay_new(uint64_t min_ns, struct step_callback *next);
void step_delay_free(struct step_delay *delay);

struct step_callback *step_delay_callback(struct step_delay *delay);

/* Passes on the delayed events. Returns 0, or -ERROR_MEMORY if events were
 * lost.
 */
int step_delay_end(struct step_delay *delay);

#endif
