/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TEXT_PATCH_H
#define KT_DECODER_TEXT_PATCH_H

#include <stdbool.h>

struct code_change;
struct recording;
struct sideband_record;

/* What kernels patch that have no TEXT_POKE records for it: samples of the
 * recorder's breakpoint (common/text_patch.h).
 *
 * The sample is taken where the function begins that writes the instruction:
 * a little later it is there, and later still all CPUs run it.
 */

/* Whether @recording has such samples. */
bool text_patch_is_recorded(const struct recording *recording);

/* Returns whether @record is one of them, and its @change, which borrows the
 * recording.  What was there before is not known.
 */
bool text_patch_read(const struct sideband_record *record,
		     struct code_change *change);

/* Whether @record says that some were lost. */
bool text_patch_is_lost(const struct sideband_record *record);

#endif
