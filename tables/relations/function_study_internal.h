/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_RELATIONS_FUNCTION_STUDY_INTERNAL_H
#define KT_TABLES_RELATIONS_FUNCTION_STUDY_INTERNAL_H

#include "report/profile/call_tree.h"
#include "report/steps/call_step.h"
#include "tables/text/histogram.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct function_choice;
struct step_filter;

/* Splits the time of one function's calls into parts, one for each call path
 * below the function. An ended call's parts are added to its class, which has
 * calls of similar wall time. Also collects the slowest calls. Memory grows
 * with the distinct call paths below the function.
 */
struct function_study;

/* A recursive function has many open calls at once. Only this many of the
 * outermost ones are split into parts; deeper ones only count in the times.
 */
enum { STUDY_NESTED = 16 };

struct function_study_options {
	const struct function_choice *functions; /* borrowed */
	const struct step_filter *filter;	 /* borrowed, or NULL */
	struct time_window window;		 /* where calls start */
	/* number of slowest calls to collect */
	size_t slowest;
};

/* Times of each call that was traced from its start to its end. */
enum study_time {
	STUDY_WALL,
	STUDY_ON_CPU,
	STUDY_SELF,    /* on a CPU in the function itself */
	STUDY_OFF_CPU, /* switched out, in the function or its callees */
	STUDY_TIMES,
};

/* A slow call. */
struct slow_call {
	uint64_t begin_ns;
	uint64_t wall_ns;
	int32_t pid;
	int32_t tid;
	uint32_t cpu; /* CPU on which it started */
	struct call_parts parts;
};

/* Calls of about equal wall time. From each time to twice that time there are
 * 16 classes.
 */
struct study_class {
	uint64_t calls;
	uint64_t min_ns;
	uint64_t max_ns;
	struct call_parts parts; /* of all calls */
};

/* Returns NULL when out of memory. */
struct function_study *
function_study_new(const struct function_study_options *options);
void function_study_free(struct function_study *study);

/* Applies the next call event. Returns 0 or -ERROR_MEMORY. */
int function_study_consume(struct function_study *study,
			   const struct call_step *step);

/* Returns whether no call event at @time_ns or later can change the result. */
bool function_study_is_done(const struct function_study *study,
			    uint64_t time_ns);

const struct histogram *function_study_time(const struct function_study *study,
					    enum study_time time);

/* Returns the number of calls without parts: see STUDY_NESTED. */
uint64_t function_study_nested(const struct function_study *study);

/* Returns the call tree whose nodes the parts refer to; the studied functions
 * are the children of its root.
 */
const struct call_tree *function_study_tree(const struct function_study *study);

/* Returns the call of @rank by falling duration, from 0; NULL if it does not
 * exist or was not collected.
 */
const struct slow_call *function_study_slow(const struct function_study *study,
					    size_t rank);

/* Sums up the classes that contain the slowest tenth of all calls, and finds
 * the class of the median call, which may be one of these.
 *
 * Returns 0 and sets *@slow and *@typical, which the caller frees with
 * study_class_free(); or -ERROR_MEMORY.
 */
int function_study_compare(const struct function_study *study,
			   struct study_class *slow,
			   struct study_class *typical);
void study_class_free(struct study_class *study_class);

#endif
