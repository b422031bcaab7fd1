/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_EXIT_H
#define KT_DECODER_LIBIPT_EXIT_H

#include <stdint.h>

struct code_space;
struct libipt_segment;

/* Must be called when execution left for user space after the instruction at
 * @last_ip of @code. If that is not a branch, adds to @segment the blocks that
 * ran up to the far return, if the code is available. libipt omits them: with
 * page table isolation it ends the last block at the kernel's write to CR3.
 */
void libipt_walk_out(struct libipt_segment *segment, struct code_space *code,
		     uint64_t last_ip);

#endif
