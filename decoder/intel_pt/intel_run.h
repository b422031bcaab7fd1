/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_RUN_H
#define KT_DECODER_INTEL_RUN_H

struct intel_branches;

/* Most bytes consumed at once, each of which adds at most one branch. Reading
 * ahead uses this limit (REACH_BYTES).
 */
enum { INTEL_RUN_BYTES = 512 };

/* Consumes a run of the most frequent packets: cycle counts of one and two
 * bytes, short TNTs, TIPs with an address and MTCs, up to another packet or
 * INTEL_RUN_BYTES. There must be room for INTEL_RUN_BYTES branches. Keeps the
 * state between packets in registers.
 *
 * Has the same effect as intel_branches_take_flow() and the clock for each
 * packet. Must only be called outside blocks of items (struct
 * intel_packet_context).
 */
void intel_run_take(struct intel_branches *branches);

#endif
