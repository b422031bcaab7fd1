/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_FRAME_VALUE_H
#define KT_SYMBOLIZE_FRAME_VALUE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_copy;

enum { FRAME_REGISTERS = 33 }; /* as many as any architecture has */

/* The registers of a frame, by DWARF's numbers: those that are known. */
struct frame_registers {
	uint64_t values[FRAME_REGISTERS];
	uint64_t known; /* bit i: values[i] is */
};

bool frame_register(const struct frame_registers *registers, uint64_t number,
		    uint64_t *value);
void frame_register_set(struct frame_registers *registers, unsigned int number,
			uint64_t value);

/* This is what expressions in unwind information are about. */
struct frame_context {
	const struct stack_copy *copy;
	const struct frame_registers *registers;
	uint64_t cfa; /* canonical frame address, once it is known */
};

/* Computes what the @count operations @ops, as libdw has them, say that a
 * register's value is, or where it is saved: then it is read there.  Sources:
 * DWARF 5, 2.5.1; dwarf_frame_register() and dwarf_frame_cfa() of libdw.
 *
 * Returns false if that needs what is not known, if they are damaged or have
 * branches in them.
 */
bool frame_value(const struct frame_context *context, const Dwarf_Op *ops,
		 size_t count, uint64_t *value);

#endif
