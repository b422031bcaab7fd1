/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_SEGMENT_H
#define KT_DECODER_LIBIPT_SEGMENT_H

struct libipt;

/* Opens the segment that begins at source->next_segment.  Returns 0 or
 * -ERROR_MEMORY.
 */
int libipt_open_segment(struct libipt *source);
void libipt_close_segment(struct libipt *source);

/* Reports what went wrong as a gap and goes on at the next PSB; ends the
 * segment if there is none.
 */
void libipt_recover(struct libipt *source);

#endif
