/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_WINDOW_H
#define KT_DECODER_BRANCH_WINDOW_H

/* The times of branches between two anchors: an anchor is a packet that
 * contains a time (TSC or MTC; intel_clock.h). The readers of branches call
 * these functions whenever they reach an anchor: first branch_window_close(),
 * then branch_window_pass() with the same branches. Times are in 256ths of a
 * tick.
 */

#include <stddef.h>
#include <stdint.h>

struct intel_clock;
struct trace_branch;

/* Sets the bounds and estimates of the branches between two anchors. @clock
 * still counts from the previous anchor. Before, low and high of a branch are
 * the elapsed time since then by CYC, at the CYC before and after it, and its
 * estimate is low or a share of it. @next: the anchor after them, UINT64_MAX if
 * there is none.
 *
 * An MTC is written some time after its count: packets before it may be later
 * than its time by up to @delay; 0 for an exact anchor.
 */
void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay);

/* With a @delay, stores the upper bound of the last branch that has a time of
 * its own in *@last_high. Without one, raises the upper bounds of the branches
 * to *@last_high, since they may be as late as that earlier branch, and sets it
 * to 0.
 *
 * *@last_high is carried from one window to the next; initially 0.
 */
void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high);

#endif
