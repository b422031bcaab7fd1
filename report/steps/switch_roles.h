/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SWITCH_ROLES_H
#define KT_REPORT_SWITCH_ROLES_H

#include <stdint.h>

struct function_table;

/* Roles of functions of Go's runtime that switch stacks (runtime/asm_*.s,
 * proc.go).
 */
enum switch_role {
	ROLE_NONE,
	ROLE_GOGO, /* jumps to a goroutine: runtime.gogo, gogo */
	/* switches from a goroutine's stack to the thread's, g0, and calls a
	 * function that never returns: mcall, morestack
	 */
	ROLE_TO_G0,
	ROLE_NEWSTACK, /* returns to its own goroutine, or schedules others */
	ROLE_LAST,     /* ends the goroutine: goexit0 */
};

/* Roles by function number. */
struct switch_roles {
	uint8_t *of; /* NULL: no function has a role */
	uint32_t count;
};

/* Returns the roles of @functions; none when out of memory, so that goroutines
 * are then followed like other coroutines.
 */
struct switch_roles switch_roles_of(const struct function_table *functions);
void switch_roles_free(struct switch_roles *roles);

static inline uint8_t switch_role(const struct switch_roles *roles,
				  uint32_t function)
{
	return roles && function < roles->count ? roles->of[function] :
						  ROLE_NONE;
}

#endif
