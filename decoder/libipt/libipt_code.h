/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_CODE_H
#define KT_DECODER_LIBIPT_CODE_H

struct libipt;

/* Opens the code that source->input names, as it was at the beginning.
 * Returns 0 or a negative enum error; what was opened is the source's.
 */
int libipt_open_code(struct libipt *source);

/* Brings the code up to date: the clock has passed source->next_change_ns.
 * Returns 0 or -ERROR_MEMORY.
 */
int libipt_update_code(struct libipt *source);

#endif
