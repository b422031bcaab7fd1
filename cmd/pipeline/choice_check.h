/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_CHOICE_CHECK_H
#define KT_CMD_CHOICE_CHECK_H

#include "report/steps/call_step.h"

#include <stdbool.h>
#include <stdint.h>

struct session;

/* Looks, on the way to a callback, whether anything is what the user chose by
 * tasks, CPUs and times: a report without that would be an empty one.
 */
struct choice_check {
	struct step_callback callback;
	struct step_callback *next;    /* borrowed */
	const struct session *session; /* borrowed */
	bool has_task;		       /* what ran is of those */
	bool has_cpu;
	uint64_t first_ns; /* of all steps */
	uint64_t last_ns;
};

/* Returns the callback for steps of @session: @next itself if all is chosen,
 * else @check's.
 */
struct step_callback *choice_check_begin(struct choice_check *check,
					 const struct session *session,
					 struct step_callback *next);

/* Call it behind the last step.  Returns 0, or EXIT_FAILED if nothing was what
 * the user chose, which is said to standard error.
 */
int choice_check_end(const struct choice_check *check);

/* The same question, behind the last step of a part of the recording, that says
 * nothing.  Returns whether there was some: there is, then, in all of it.
 */
bool choice_check_holds(const struct choice_check *check);

#endif
