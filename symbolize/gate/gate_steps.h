/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_GATE_STEPS_H
#define KT_SYMBOLIZE_GATE_STEPS_H

#include "symbolize/gate/gate_step.h"

#include <stdint.h>

struct recording;

/* An iterator over a recording's marks of one CPU. */
struct gate_steps;

/* Borrows @recording. Returns NULL when out of memory. */
struct gate_steps *gate_steps_open(const struct recording *recording,
				   int32_t cpu);
void gate_steps_close(struct gate_steps *steps);

/* A gate_step_source: @steps is the struct gate_steps. */
int gate_steps_next(void *steps, struct gate_step *step);

#endif
