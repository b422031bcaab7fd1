/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_CODE_H
#define KT_DECODER_INTEL_PT_CODE_H

struct intel_pt;

/* Opens the code that source->input names, as it was at the beginning.
 * Returns 0 or a negative enum error; what was opened is the source's.
 */
int intel_pt_open_code(struct intel_pt *source);

/* Brings the code up to date: the clock has passed source->next_change_ns.
 * Returns 0 or -ERROR_MEMORY.
 */
int intel_pt_update_code(struct intel_pt *source);

#endif
