/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_WAITS_LOCK_MEMBERS_H
#define KT_TABLES_WAITS_LOCK_MEMBERS_H

#include "attribution/lock_waits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording;
struct symbols;
struct variables;

/* Which member of which of the kernel's structs a lock is:
 * "mm_struct->mmap_lock".
 *
 *	lock_wait ──► code of its function ──► argument of the locking call
 *	                 (x86-64)                    │ object's type, offset
 *	              the recording's types (BTF) ───┴──► member
 *
 * The trace has the lock's address only, so the member is inferred: the code
 * that calls the locking function shows which object's address it passes, if
 * the function's parameters, or the current task, lead to it by pointers whose
 * types are known. Otherwise a short list names the member for some functions;
 * it is used if its offset is the one in the code. Without types in the
 * recording, nothing is known. A bit or variable that is waited for is a
 * member by the function that waits.
 *
 * All is read on first use. For one thread.
 */
struct lock_members;

/* Borrows both. Returns NULL when out of memory. */
struct lock_members *lock_members_new(const struct recording *recording,
				      const struct symbols *symbols);
void lock_members_free(struct lock_members *members);

/* Returns the member that a lock of @kind is, which @function locks in a call
 * that returns to @return_address; NULL if it is unknown. Owned by @members.
 */
const char *lock_members_find(struct lock_members *members, enum lock_kind kind,
			      uint32_t function, uint64_t return_address);

/* Writes the variable that contains @lock to @text, cut to @size. Returns false if
 * it is unknown.
 */
bool lock_find_variable(struct variables *variables,
			const struct lock_name *lock, char *text, size_t size);

#endif
