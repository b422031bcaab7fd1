/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TEXT_POKE_BREAKPOINT_H
#define KT_DECODER_TEXT_POKE_BREAKPOINT_H

#include <stdbool.h>

struct code_change;
struct recording;
struct sideband_record;

/* This is what kernels patch that have no TEXT_POKE records for it: samples of
 * the recorder's breakpoint (common/text_poke_breakpoint.h).
 *
 * The sample is taken where the function begins that writes the instruction: a
 * little later it is there, and later still all CPUs run it.
 */

/* Returns whether @recording has such samples. */
bool text_poke_breakpoint_is_recorded(const struct recording *recording);

/* Returns whether @record is one of them, and its @change, which borrows the
 * recording.  What was there before is not known.
 */
bool text_poke_breakpoint_read(const struct sideband_record *record,
			       struct code_change *change);

/* Returns whether @record says that some were lost. */
bool text_poke_breakpoint_is_lost(const struct sideband_record *record);

#endif
