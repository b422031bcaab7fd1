/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_BPF_TEXT_BREAKPOINT_H
#define KT_DECODER_BPF_TEXT_BREAKPOINT_H

#include <stdbool.h>

struct code_change;
struct recording;
struct sideband_record;

/* Code of the BPF JIT compiler that the kernel writes or wipes: samples of the
 * recorder's breakpoints (common/bpf_text_breakpoint.h).  Each is taken before
 * the first byte changes, and the program runs only later.
 */

/* Returns whether @recording has such samples. */
bool bpf_text_breakpoint_is_recorded(const struct recording *recording);

/* Returns whether @record is one of them, and the @change, a CODE_LOSS: the
 * sample has no bytes of the new code.
 */
bool bpf_text_breakpoint_read(const struct sideband_record *record,
			      struct code_change *change);

#endif
