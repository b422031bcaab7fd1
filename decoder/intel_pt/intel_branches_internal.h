/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_INTEL_BRANCHES_INTERNAL_H
#define KT_DECODER_INTEL_PT_INTEL_BRANCHES_INTERNAL_H

#include "decoder/flow/branch_source.h"
#include "decoder/recording/aux_stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct intel_setup;

/* Converts Intel PT's packets to branches. The time bounds of a branch are
 * known only when the next time packet has been seen, so this reads ahead up to
 * one time packet and buffers the branches before it.
 *
 *	bytes ─► intel_packet.h ─┬─► intel_flow_internal.h: branches ─┐
 *	                         └─► intel_clock.h: times ────────────┴─► bounds:
 *	                                                      branch_window.h
 *
 * 1. Only branches with final bounds are provided. After 262,144 branches
 *    without a time packet, they are provided without an upper bound
 *    (OPEN_LIMIT), which limits the memory.
 * 2. The loop over frequent packets, intel_run_consume(), has the same effect as
 *    the general code for each packet.
 * 3. Invalid bytes are a TRACE_GAP up to the next PSB. The only error is
 *    -ERROR_MEMORY.
 */
struct intel_branches;

/* Returns a reader of the @size bytes at @bytes, which it borrows, that starts
 * at position @from, a sync point or @size. Returns NULL when out of memory.
 */
struct intel_branches *intel_branches_new(const uint8_t *bytes, size_t size,
					  size_t from,
					  const struct intel_setup *setup);

void intel_branches_free(struct intel_branches *branches);

/* Sets a callback @reach, with @ctx, that makes bytes readable before they are
 * read; without it all bytes must be readable.
 */
void intel_branches_set_reach(struct intel_branches *branches,
			      intel_psb_reach_bytes *reach, void *ctx);

/* Provides the next branches, one or more, valid until the next call.
 *
 * Returns 1, 0 at the end, or -ERROR_MEMORY.
 */
int intel_branches_next(struct intel_branches *branches,
			struct trace_branch_batch *batch);

/* Returns the upper time bound of the next branch that has a time of its own,
 * in the unit of struct trace_branch; UINT64_MAX if there is none, or no
 * memory.
 */
uint64_t intel_branches_first_high(struct intel_branches *branches);

/* As branch_source_pause_at(). */
void intel_branches_pause_at(struct intel_branches *branches, uint64_t time);

/* Ends the bytes where the reader is, if nothing is open there and the rest
 * matters at most for the addresses and times after it. Returns whether it did,
 * and sets *@at to that position.
 */
bool intel_branches_stop(struct intel_branches *branches, size_t *at);

/* Continues at position @from of the @size bytes at @bytes, with what follows
 * the bytes that were read to their end. If the @rest bytes before @from were
 * left unread, reads them first, unless the time and a whole address follow.
 * Returns false if fewer than @rest bytes precede @from, or if the bytes that
 * were read end within a packet, a sync point or an overflow.
 */
bool intel_branches_go_on(struct intel_branches *branches, const uint8_t *bytes,
			  size_t size, size_t from, size_t rest);

#endif
