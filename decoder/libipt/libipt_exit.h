/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_EXIT_H
#define KT_DECODER_LIBIPT_EXIT_H

struct libipt;

/* Execution left for user space behind an instruction that is no branch: adds
 * what ran up to the far return, if the bytes of the code tell, as blocks of
 * no instructions.  libipt leaves them out: behind page table isolation it
 * ends the last block at the kernel's write to CR3.
 */
void libipt_walk_out(struct libipt *source);

#endif
