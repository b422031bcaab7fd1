/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_INTEL_PT_SEGMENT_H
#define KT_DECODER_INTEL_PT_SEGMENT_H

struct intel_pt;

/* Opens the segment that begins at source->next_segment.  Returns 0 or
 * -ERROR_MEMORY.
 */
int intel_pt_open_segment(struct intel_pt *source);
void intel_pt_close_segment(struct intel_pt *source);

/* Reports what went wrong as a gap and goes on at the next PSB; ends the
 * segment if there is none.
 */
void intel_pt_recover(struct intel_pt *source);

#endif
