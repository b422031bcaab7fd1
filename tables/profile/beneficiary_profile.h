/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_BENEFICIARY_PROFILE_H
#define KT_TABLES_BENEFICIARY_PROFILE_H

#include "attribution/events/event_handler.h"
#include "attribution/interrupts/interrupt_accounts.h"
#include "report/profile/profile.h"
#include "report/profile/profile_interrupts.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct kept_file_writer;
struct pack;

/* A profile, function by function, in which interrupt work, soft interrupts
 * and deferred work are calls of the process that they were for, whomever they
 * stopped.  What was for the system or for nobody is process 0's.  In the tree
 * such work begins at its entry, below no function that it stopped.
 */
struct beneficiary_profile;

/* Borrows both, which have the same filter and window; @options is by process
 * and has a scope.  Returns NULL when out of memory.
 */
struct beneficiary_profile *
beneficiary_profile_new(const struct attribution_input *input,
			const struct profile_options *options);
void beneficiary_profile_free(struct beneficiary_profile *profile);

/* Returns what has to see all steps, events and records.  Owner: the profile.
 */
struct event_handler *
beneficiary_profile_handler(struct beneficiary_profile *profile);

/* These are for struct table_records: the accounts' (interrupt_accounts.h), after the
 * steps of the window, if beneficiary_profile_begin_window() was called before these.
 */
void beneficiary_profile_begin_window(struct beneficiary_profile *profile);
void beneficiary_profile_keep(struct beneficiary_profile *profile,
			      struct kept_file_writer *writer);
void beneficiary_profile_pack_rest(struct beneficiary_profile *profile,
				   struct pack *pack);
void beneficiary_profile_read(struct beneficiary_profile *profile,
			      struct pack *pack);

/* No more steps come: as profile_end(). */
int beneficiary_profile_end(struct beneficiary_profile *profile);

/* As profile_tree() and profile_part_times(), after the end. */
const struct call_tree *
beneficiary_profile_tree(const struct beneficiary_profile *profile);
const uint64_t *
beneficiary_profile_part_times(const struct beneficiary_profile *profile);

/* Returns the interrupt work that is in the tree, after the end. */
const struct profile_interrupts *
beneficiary_profile_interrupts(const struct beneficiary_profile *profile);

#endif
