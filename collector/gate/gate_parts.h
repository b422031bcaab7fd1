/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_GATE_PARTS_H
#define KT_COLLECTOR_GATE_PARTS_H

#include "collector/gate/gate.h"
#include "collector/trigger/trigger_arming.h"

/* What arming needs for @text, which is borrowed. */
struct trigger_arming gate_arming(struct gate *gate,
				  const struct trigger_setup *setup,
				  const char *text);

/* A function that is chosen, or once was: its probes stay. */
struct gate_function {
	char name[TRIGGER_NAME_SIZE];	      /* as it was given */
	char function[TRIGGER_FUNCTION_SIZE]; /* as the kernel has it */
	uint32_t number;		      /* of its probes */
	bool is_wanted; /* by the list that is being read */
};

#endif
