/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BRANCH_WINDOW_H
#define KT_DECODER_BRANCH_WINDOW_H

/* The times of branches between two anchors: an anchor is a packet that
 * contains a time (TSC or MTC; intel_clock.h). A reader of branches, such as
 * intel_branches.c, which defines these functions, or libipt/intel_tokens.c,
 * calls them at each anchor: first branch_window_close(), then
 * branch_window_pass() with the same branches. Times are in 256ths of a tick.
 */

#include <stddef.h>
#include <stdint.h>

struct intel_clock;
struct trace_branch;

/* Sets the bounds and estimates of the branches between two anchors. @clock
 * still counts from the previous anchor. Before the call, low and high of a
 * branch are the time since the previous anchor as counted by CYC packets, up
 * to the CYC before and the CYC after the branch; its estimate equals low.
 * @next is the anchor after the branches, UINT64_MAX if there is none.
 *
 * An MTC is written some time after its count: packets before it may be later
 * than its time by up to @delay; 0 for an exact anchor.
 */
void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next,
			 uint64_t delay);

/* With a @delay, stores the upper bound of the last branch that has a time of
 * its own in *@last_high. Without a @delay, raises the upper bounds of the
 * branches to *@last_high, since they may be as late as the last branch of the
 * previous window, and sets *@last_high to 0.
 *
 * *@last_high is carried from one window to the next; initially 0.
 */
void branch_window_pass(struct trace_branch *branches, size_t count,
			uint64_t delay, uint64_t *last_high);

#endif
