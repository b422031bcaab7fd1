/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_RUN_H
#define KT_DECODER_INTEL_RUN_H

struct intel_branches;

/* So many are taken at once, of which each adds a branch at most: those who read
 * ahead reach that far (REACH_BYTES).
 */
enum { INTEL_RUN_BYTES = 512 };

/* Cycle counts of one and two bytes, short TNTs, TIPs with an address and MTCs:
 * nearly all of a trace are these, in rows.  Takes those that come next, up to another
 * packet or INTEL_RUN_BYTES, as which there must be room: what must be known of
 * one for the next stays in registers meanwhile.
 *
 * Each does what intel_branches_take_flow() and the clock would do with it.
 * Outside blocks of items (struct intel_packet_context) only.
 */
void intel_run_take(struct intel_branches *branches);

#endif
