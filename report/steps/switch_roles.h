/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_SWITCH_ROLES_H
#define KT_REPORT_SWITCH_ROLES_H

#include <stdint.h>

struct function_table;

/* Functions of Go's runtime that change stacks (runtime/asm_*.s, proc.go). */
enum switch_role {
	ROLE_NONE,
	ROLE_GOGO,     /* jumps to a goroutine: runtime.gogo, gogo */
	ROLE_TO_G0,    /* goes from a goroutine's stack to the thread's, g0, and
			* calls what never returns: mcall, morestack */
	ROLE_NEWSTACK, /* goes back to its own goroutine, or lets others run */
	ROLE_LAST,     /* the goroutine has ended: goexit0 */
};

/* Roles by number of function. */
struct switch_roles {
	uint8_t *of; /* NULL: no function has one */
	uint32_t count;
};

/* Returns the roles of @functions, none when out of memory: then goroutines are
 * followed as other coroutines are.
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
