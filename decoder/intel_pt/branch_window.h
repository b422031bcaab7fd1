/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_WINDOW_H
#define KT_DECODER_BRANCH_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct intel_clock;
struct trace_branch;

/* Gives the branches between two anchors their bounds and estimates.  @clock
 * still counts from the anchor before; each branch's low and high are what CYC
 * said had elapsed since then, at the CYC before and after it.  @next: the
 * anchor behind them, UINT64_MAX if none comes.
 *
 * An MTC is written some time after the count that it tells: what was written
 * before it may be as much younger, by @delay; 0 for what is exact.
 */
void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay);

/* What comes between a window that ended with a @delay and an exact anchor may
 * be as young as the last of those before that have a time of their own.
 *
 * *@last_high is what is known of that from one window, closed, to the next, at
 * first 0.
 */
void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high);

#endif
