/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_USER_SITES_H
#define KT_ATTRIBUTION_USER_SITES_H

#include "attribution/user_sites/user_site.h"

#include <stddef.h>

struct attribution_input;
struct event_handler;

/* Charges the time of system calls and faults to the instructions that began
 * them.  Where user code is traced, they are in the trace; else a system
 * call's is in the registers that record --user-stacks copies, a page fault's
 * in its tracepoint.
 */
struct user_sites;

/* Borrows @input.  Returns NULL when out of memory. */
struct user_sites *user_sites_new(const struct attribution_input *input);
void user_sites_free(struct user_sites *sites);

struct event_handler *user_sites_handler(struct user_sites *sites);

/* Charges what has not returned, after the last step.
 *
 * Returns 0, or -ERROR_MEMORY if anything was lost for lack of memory.
 */
int user_sites_end(struct user_sites *sites);

size_t user_sites_count(const struct user_sites *sites);
const struct user_site *user_sites_at(const struct user_sites *sites,
				      size_t index);

#endif
