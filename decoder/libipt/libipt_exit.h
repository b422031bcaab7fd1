/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_LIBIPT_EXIT_H
#define KT_DECODER_LIBIPT_EXIT_H

#include <stdint.h>

struct code_space;
struct libipt_segment;

/* Execution left for user space behind the instruction at @last_ip of @code, if
 * that is no branch: adds to @segment what ran up to the far return, if the bytes
 * of the code tell, as blocks.  libipt leaves them out: behind page table
 * isolation it ends the last block at the kernel's write to CR3.
 */
void libipt_walk_out(struct libipt_segment *segment, struct code_space *code,
		     uint64_t last_ip);

#endif
