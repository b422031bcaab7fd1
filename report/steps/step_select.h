/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_STEPS_STEP_SELECT_H
#define KT_REPORT_STEPS_STEP_SELECT_H

/* Selects the call events that a timeline shows: by task, window, function,
 * depth and length.
 *
 *	call events ─► step filter ─► shown, hidden, depth ─► length ─► callback
 *	                                                      (delayed)
 *
 * 1. The exit of a function is passed on if and only if its entry was.
 * 2. Events keep their order, including those that are delayed until it is
 *    known whether a function lasts long enough.
 * 3. Each name is compared once, at the first event of its function.
 *
 * One thread. Memory: with a least length, the events of that time; else the
 * open functions. Errors: -ERROR_MEMORY, kept in a status until the end.
 */

#include "common/array.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"

#include <stdbool.h>
#include <stdint.h>

struct function_table;
struct name_choice;

/* The functions whose names an option selects. Each name is matched once, at
 * the first query for its function.
 */
struct named_functions {
	const struct function_table *functions; /* borrowed */
	const struct name_choice *choice; /* borrowed; NULL: no function */
	struct array answers;		  /* uint8_t by function */
	int status; /* 0, or -ERROR_MEMORY: some results are wrong */
};

struct named_functions
named_functions_of(const struct function_table *functions,
		   const struct name_choice *choice);
void named_functions_free(struct named_functions *named);

bool named_functions_has(struct named_functions *named, uint32_t function);

struct step_select_options {
	const struct step_filter *filter; /* borrowed */
	/* only functions that start in it are shown */
	struct time_window window;
	/* shown: show only these functions and their callees. hidden: leave out
	 * these functions and their callees. Borrowed; NULL: no such choice.
	 */
	const struct name_choice *shown;
	const struct name_choice *hidden;
	/* number of levels, from the shown functions or else from the outermost
	 * ones
	 */
	uint32_t max_depth;
	uint64_t min_ns;    /* shorter functions are left out */
	uint64_t max_count; /* maximum number of functions */
};

/* Passes on the call events that a timeline shows. An exit is passed on if and
 * only if its entry was.
 *
 * With min_ns, events are delayed until it is known whether a function lasts
 * that long: memory grows with the events in that time, not with the trace.
 */
struct step_select;

/* Borrows all arguments.  Returns NULL when out of memory. */
struct step_select *step_select_new(const struct step_select_options *options,
				    const struct function_table *functions,
				    struct step_callback *next);
void step_select_free(struct step_select *select);

struct step_callback *step_select_callback(struct step_select *select);

/* Passes on the delayed events.
 *
 * Returns -ERROR_MEMORY if events were lost for lack of memory, else 0.
 */
int step_select_end(struct step_select *select);

#endif
