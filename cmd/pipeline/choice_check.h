/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CHOICE_CHECK_H
#define KT_CMD_CHOICE_CHECK_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct session;

/* A callback before another one, which checks whether any call event matches
 * the tasks, CPUs and times that the user chose: otherwise the report would be
 * empty.
 */
struct choice_check {
	struct step_callback callback;
	struct step_callback *next;    /* borrowed */
	const struct session *session; /* borrowed */
	bool has_task; /* there was a call event of a chosen task */
	bool has_cpu;
	uint64_t first_ns; /* of all call events, chosen or not */
	uint64_t last_ns;
};

/* Returns the callback that receives the call events of @session: @next itself
 * if the user chose everything, otherwise the callback of @check.
 */
struct step_callback *choice_check_begin(struct choice_check *check,
					 const struct session *session,
					 struct step_callback *next);

/* Checks whether anything matched the user's choice. Must be called after the
 * last call event. Returns 0, or EXIT_FAILED after a message on standard error
 * if nothing matched the user's choice.
 */
int choice_check_end(const struct choice_check *check);

/* Like choice_check_end(), but prints nothing and may be called when only a
 * part of the recording was decoded. Returns whether anything matched; if so,
 * something in the whole recording matches.
 */
bool choice_check_holds(const struct choice_check *check);

#endif
