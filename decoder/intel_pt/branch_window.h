/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_WINDOW_H
#define KT_DECODER_BRANCH_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct intel_clock;
struct trace_branch;

/* Sets the bounds and estimates of the branches between two anchors. @clock
 * still counts from the previous anchor; each branch's low and high are the
 * elapsed time since then by CYC, at the CYC before and after it. @next: the
 * anchor after them, UINT64_MAX if there is none.
 *
 * An MTC is written some time after its count: packets before it may be later
 * than its time by up to @delay; 0 for an exact anchor.
 */
void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay);

/* Extends the upper bounds of branches between a window that ended with a
 * @delay and an exact anchor: they may be as late as the last earlier branch
 * with a time of its own.
 *
 * *@last_high is carried from one closed window to the next; initially 0.
 */
void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high);

#endif
