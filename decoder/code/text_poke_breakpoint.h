/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TEXT_POKE_BREAKPOINT_H
#define KT_DECODER_TEXT_POKE_BREAKPOINT_H

#include <stdbool.h>

struct code_change;
struct recording;
struct sideband_record;

/* Patches of kernels that do not write TEXT_POKE records for them: samples of
 * the recorder's breakpoint (common/recording_events.h).
 *
 * The sample is taken at the entry of the function that writes the instruction.
 * The instruction is written a little later, and still later all CPUs run it.
 */

/* Returns whether @recording has such samples. */
bool text_poke_breakpoint_is_recorded(const struct recording *recording);

/* Returns whether @record is such a sample, and sets *@change, which borrows
 * the recording, to the patch. The old bytes are unknown.
 */
bool text_poke_breakpoint_read(const struct sideband_record *record,
			       struct code_change *change);

/* Returns whether @record reports that such samples were lost. */
bool text_poke_breakpoint_is_lost(const struct sideband_record *record);

#endif
