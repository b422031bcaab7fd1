/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BPF_TEXT_BREAKPOINT_H
#define KT_DECODER_BPF_TEXT_BREAKPOINT_H

#include <stdbool.h>

struct code_change;
struct recording;
struct sideband_record;

/* Code of the BPF JIT compiler that the kernel writes or wipes: samples of the
 * recorder's breakpoints (common/recording_events.h). Each is taken before
 * the first byte changes; the program only runs later.
 */

/* Returns whether @recording has such samples. */
bool bpf_text_breakpoint_is_recorded(const struct recording *recording);

/* Returns whether @record is such a sample, and sets *@change to a CODE_LOSS:
 * the sample does not contain the new code's bytes.
 */
bool bpf_text_breakpoint_read(const struct sideband_record *record,
			      struct code_change *change);

#endif
