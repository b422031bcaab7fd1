/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROFILE_BENEFICIARY_PROFILE_INTERNAL_H
#define KT_TABLES_PROFILE_BENEFICIARY_PROFILE_INTERNAL_H

#include "attribution/events/event_handler.h"
#include "report/profile/call_tree.h"
#include "report/profile/profile.h"
#include "report/profile/profile_report.h"

#include <stdint.h>

struct attribution_input;
struct table_records;

/* A profile, function by function, in which interrupt work, soft interrupts and
 * deferred work are calls of the process that they were for, whichever thread
 * they interrupted. Work for the system or for no process is process 0's. In
 * the tree, such work starts at its entry, not below the function that it
 * interrupted.
 */
struct beneficiary_profile;

/* Borrows both, which have the same filter and window; @options is by process
 * and has a scope.  Returns NULL when out of memory.
 */
struct beneficiary_profile *
beneficiary_profile_new(const struct attribution_input *input,
			const struct profile_options *options);
void beneficiary_profile_free(struct beneficiary_profile *profile);

/* Returns the handler that must receive all call events, kernel events and
 * records. Owner: the profile.
 */
struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile);

/* The records of the accounts (interrupt_accounts.h), which follow the call
 * events of the window; their owner is a struct beneficiary_profile. Some
 * slices, as those of RCU callbacks, get their beneficiaries only at the end,
 * when the accounts end.
 */
extern const struct table_records beneficiary_records;

/* Must be called after the last call event, like profile_end(). */
int beneficiary_profile_end(struct beneficiary_profile *profile);

/* Like profile_tree() and profile_part_times(), after
 * beneficiary_profile_end().
 */
const struct call_tree *
beneficiary_profile_tree(const struct beneficiary_profile *profile);
const uint64_t *
beneficiary_profile_part_times(const struct beneficiary_profile *profile);

/* Returns the interrupt work in the tree, after beneficiary_profile_end(). */
const struct profile_interrupts *
beneficiary_profile_interrupts(const struct beneficiary_profile *profile);

#endif
