/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_KERNEL_NAMES_H
#define KT_MACHINE_TESTS_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of code at an address, according to a recording's copy of kallsyms
 * and the rules of docs/formats.md; shares no code with symbolize/.
 */
enum code_kind {
	KIND_FUNCTION,
	KIND_RETURN_THUNK,
	KIND_INDIRECT_THUNK,
	KIND_VECTOR, /* Arm's exception vectors, which branch to handlers */
};

struct kernel_name {
	uint64_t start;
	const char *name; /* the function's, as in reports */
	const char *module;
	enum code_kind kind;
	bool is_padding; /* before the function's first byte */
	bool is_cold;	 /* a cold part of the function */
};

struct kernel_names {
	char *text;		   /* the file; names point into it */
	struct kernel_name *names; /* sorted by address, without duplicates */
	size_t count;
	char **made; /* generated names; owned */
	size_t made_count;
};

/* Makes names that functions share unique, by appending each function's offset
 * from the first function of its module. Its other parts get the same name.
 * @names must be sorted by address.
 */
void kernel_names_tell_apart(struct kernel_names *names);

/* Reads DIR/kcore_dir/kallsyms and, unless @more is NULL, further lines of the
 * same format from the file @more. Returns false, after a message on stderr, on
 * failure.
 */
bool kernel_names_read(struct kernel_names *names, const char *recording,
		       const char *more);
void kernel_names_free(struct kernel_names *names);

/* Returns the name that covers @address; never NULL. */
const struct kernel_name *kernel_names_find(const struct kernel_names *names,
					    uint64_t address);

/* Returns whether both are parts of one function. */
bool kernel_name_equal(const struct kernel_name *one,
		       const struct kernel_name *other);

/* Returns whether the function that covers @address starts there. */
bool kernel_name_begins(const struct kernel_name *name, uint64_t address);

#endif
