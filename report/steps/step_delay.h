/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEP_DELAY_H
#define KT_REPORT_STEP_DELAY_H

#include "report/steps/call_step.h"

/* Holds steps back, in order, until it is known whether the function that an
 * entry begins lasts @min_ns or longer.
 */
struct step_delay;

/* Borrows @next.  Returns NULL when out of memory. */
struct step_delay *step_delay_new(uint64_t min_ns, struct step_callback *next);
void step_delay_free(struct step_delay *delay);

struct step_callback *step_delay_callback(struct step_delay *delay);

/* Passes on what still waits.  Returns 0, or -ERROR_MEMORY if steps were
 * lost.
 */
int step_delay_end(struct step_delay *delay);

#endif
