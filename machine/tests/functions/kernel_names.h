/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_KERNEL_NAMES_H
#define KT_MACHINE_TESTS_KERNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* This is what the code at an address is, by a recording's copy of kallsyms
 * and the rules of docs/formats.md; shares nothing with symbolize/.
 */
enum code_kind {
	KIND_FUNCTION,
	KIND_RETURN_THUNK,
	KIND_INDIRECT_THUNK,
	KIND_VECTOR, /* Arm's exception vectors lead to handlers */
};

struct kernel_name {
	uint64_t start;
	const char *name; /* the function's, as reports have it */
	const char *module;
	enum code_kind kind;
	bool is_padding; /* before the function's first byte */
	bool is_cold;	 /* a cold part of the function */
};

struct kernel_names {
	char *text;		   /* the file; names point into it */
	struct kernel_name *names; /* by address, no two the same */
	size_t count;
	char **made; /* other names */
	size_t made_count;
};

/* Names functions of one name by their places, and their pieces like them.  All of
 * @names are by address.
 */
void kernel_names_tell_apart(struct kernel_names *names);

/* Reads DIR/kcore_dir/kallsyms and, unless NULL, more lines like its own from
 * the file @more.  False, with a message to stderr, if it cannot.
 */
bool kernel_names_read(struct kernel_names *names, const char *recording,
		       const char *more);
void kernel_names_free(struct kernel_names *names);

/* What covers @address; never NULL. */
const struct kernel_name *kernel_names_find(const struct kernel_names *names,
					    uint64_t address);

/* Whether both are pieces of one function. */
bool kernel_name_equal(const struct kernel_name *one,
		       const struct kernel_name *other);

/* Whether the function that covers @address begins there. */
bool kernel_name_begins(const struct kernel_name *name, uint64_t address);

#endif
