/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FRAME_VALUE_H
#define KT_SYMBOLIZE_FRAME_VALUE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
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

/* The input of expressions in unwind information. */
struct frame_context {
	const struct stack_copy *copy;
	const struct frame_registers *registers;
	uint64_t cfa; /* canonical frame address, once it is known */
};

/* Evaluates the @count operations @ops, as returned by libdw, to the value of a
 * register. If they yield the address where it is saved, reads it from there.
 * Sources: DWARF 5, 2.5.1; dwarf_frame_register() and dwarf_frame_cfa() of
 * libdw.
 *
 * Returns false if the operations need an unknown value, are damaged, or
 * contain branches.
 */
bool frame_value(const struct frame_context *context, const Dwarf_Op *ops,
		 size_t count, uint64_t *value);

#endif
