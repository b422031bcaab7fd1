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
 */
void branch_window_close(struct trace_branch *branches, size_t count,
			 const struct intel_clock *clock, uint64_t next);

#endif
