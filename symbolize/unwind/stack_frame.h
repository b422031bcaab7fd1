/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_STACK_FRAME_H
#define KT_SYMBOLIZE_STACK_FRAME_H

#include "symbolize/unwind/frame_value.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct arch_frames;
struct stack_copy;

/* A frame of a copied stack, while one goes from it to its caller's. */
struct stack_frame {
	const struct stack_copy *copy;
	struct frame_registers registers;
	bool is_interrupted;	  /* its code address is no return address */
	bool may_be_leaf;	  /* it is not known to have called */
	bool ends_signal;	  /* see stack_frame_ends_signal() */
	Dwarf_Frame *description; /* of its code's frames; NULL: none */
};

/* Where its code goes on. */
uint64_t stack_frame_pc(const struct stack_frame *frame);

/* Returns its canonical frame address by its description; false if what that
 * takes is not known.
 */
bool stack_frame_cfa(const struct stack_frame *frame, uint64_t *cfa);

/* What follows has @frame be its caller; it returns false, and @frame is of no
 * use any more, where its caller cannot be found.
 */

/* By its description and its canonical frame address. */
bool stack_frame_step_described(struct stack_frame *frame, uint64_t cfa);

/* By frame pointers; what else the caller had in registers is lost. */
bool stack_frame_step_linked(struct stack_frame *frame);

/* From the code that ends a signal handler to what the signal interrupted; for
 * where stack_frame_ends_signal().
 */
bool stack_frame_step_signal(struct stack_frame *frame);

/* Returns whether its code is the kernel's that ends signal handlers, which
 * nothing describes.
 */
bool stack_frame_ends_signal(const struct stack_frame *frame);

#endif
