/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_UNWIND_STACK_FRAME_INTERNAL_H
#define KT_SYMBOLIZE_UNWIND_STACK_FRAME_INTERNAL_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct stack_copy;

enum { FRAME_REGISTERS = 33 }; /* the maximum of all architectures */

/* The known registers of a frame, by DWARF's numbers. */
struct frame_registers {
	uint64_t values[FRAME_REGISTERS];
	uint64_t known; /* bit i: values[i] is known */
};

bool frame_register(const struct frame_registers *registers, uint64_t number,
		    uint64_t *value);
void frame_register_set(struct frame_registers *registers, unsigned int number,
			uint64_t value);

/* A frame of a copied stack, which is replaced by its caller's step by step. */
struct stack_frame {
	const struct stack_copy *copy;
	struct frame_registers registers;
	bool is_interrupted; /* its code address is not a return address */
	bool may_be_leaf;    /* may not have called any function */
	bool ends_signal;    /* see stack_frame_ends_signal() */
	/* unwind information of its code; NULL: none */
	Dwarf_Frame *description;
};

/* Returns the address at which its code continues. */
uint64_t stack_frame_pc(const struct stack_frame *frame);

/* Sets *@cfa to its canonical frame address by its description; returns false
 * if a value needed for this is unknown.
 */
bool stack_frame_cfa(const struct stack_frame *frame, uint64_t *cfa);

/* The following functions replace @frame by its caller. They return false if
 * the caller cannot be found; @frame must then not be used any more.
 */

/* Steps to the caller by the frame's description and its canonical frame
 * address.
 */
bool stack_frame_step_described(struct stack_frame *frame, uint64_t cfa);

/* Steps to the caller by frame pointers; its other registers become unknown. */
bool stack_frame_step_linked(struct stack_frame *frame);

/* Steps from the code that ends a signal handler to the interrupted code.
 * Requires stack_frame_ends_signal().
 */
bool stack_frame_step_signal(struct stack_frame *frame);

/* Returns whether its code is the kernel's code that ends signal handlers and
 * has no unwind information.
 */
bool stack_frame_ends_signal(const struct stack_frame *frame);

#endif
