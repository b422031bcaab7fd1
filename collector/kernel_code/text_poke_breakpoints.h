/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TEXT_POKE_BREAKPOINTS_H
#define KT_COLLECTOR_TEXT_POKE_BREAKPOINTS_H

struct event_list;
struct target;

/* Adds the event that tells what the kernel patches where it has no TEXT_POKE
 * records for that (common/text_poke_breakpoint.h): a breakpoint on the first
 * of @functions, ended by NULL, that the kernel has.
 *
 * Returns its index in @events; -ERROR_NOT_FOUND if there is none of them, or
 * the kernel hides its addresses; -ERROR_SYSTEM with errno set; -ERROR_MEMORY.
 */
int text_poke_breakpoints_add(struct event_list *events,
			      const char *const *functions);

/* The same, opened and enabled on each CPU of @cpus; nothing is added where that
 * fails.  Returns likewise.
 */
int text_poke_breakpoints_open(struct event_list *events,
			       const char *const *functions,
			       const struct target *cpus);

/* Returns why that cannot be had and, where there is one, the way out: @error
 * is what the functions above returned, or -ERROR_SYSTEM with errno set by
 * opening it.
 */
const char *text_poke_breakpoints_refusal(int error);

#endif
