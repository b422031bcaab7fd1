/* SPDX-License-Identifier: MIT */
#ifndef KT_VIEW_MAKE_PART_PROFILE_INTERNAL_H
#define KT_VIEW_MAKE_PART_PROFILE_INTERNAL_H

#include "report/steps/call_step.h"

#include <stdint.h>

struct context_kinds;
struct task_names;
struct view_summary;

/* Sums up each thread's calls in equal parts of a recording's time, for a
 * summary's call_sums.
 */
struct part_profile;

/* Returns a profile without calls, which adds cells to the call sums of
 * @summary, and locks it for that; NULL when out of memory. Borrows all
 * arguments. @part_ns: length of a cell. @recorder: command line of the program
 * that made the recording.
 */
struct part_profile *part_profile_new(struct view_summary *summary,
				      uint64_t part_ns,
				      const struct task_names *names,
				      const struct context_kinds *kinds,
				      const char *recorder);
void part_profile_free(struct part_profile *profile);

/* Applies a call event of the summary's thread @number. */
void part_profile_step(struct part_profile *profile,
		       const struct call_step *step, uint32_t number);

/* Adds the last part. Returns 0 or a negative enum error, also of earlier call
 * events.
 */
int part_profile_end(struct part_profile *profile);

#endif
