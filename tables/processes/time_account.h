/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_TIME_ACCOUNT_H
#define KT_TABLES_TIME_ACCOUNT_H

#include "attribution/events/event_handler.h"
#include "attribution/time/time_span.h"
#include "tables/processes/class_error_bound.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;
struct attribution_input;
struct interrupt_accounts;
struct interrupt_sums;
struct kept_file_writer;
struct known_events;
struct pack;
struct task;

/* Where the time of one thread, or of all threads of a process, went.  The
 * classes of interrupt time are in two: benefited and stolen.
 */
struct time_account {
	const struct task *task; /* of a process: one of its */
	int32_t pid;
	int32_t tid;	  /* of a process: pid */
	const char *comm; /* its last name */
	uint64_t threads;
	uint64_t wall_ns; /* the sum of the classes */
	uint64_t class_ns[TIME_CLASSES];
	uint64_t recorder_wait; /* ns of TIME_TRACER that it waited
					 * while the recorder had its CPU */
	uint64_t benefited_ns;	/* of TIME_INTERRUPT */
	uint64_t stolen_ns;
	uint64_t unknown_ns[UNKNOWN_REASONS];
	uint64_t uncertain;	   /* ns by which a class may be off: how
					 * exact the times were at which it
					 * went from one to another */
	uint64_t context_switches; /* how often it left a CPU */
	uint64_t system_calls;	   /* begun */
	uint64_t faults;	   /* page faults and exceptions */
	/* Of processes: ns that others' threads and idle CPUs spent on it, in
	 * interrupts, and in work items and threaded handlers.
	 */
	uint64_t interrupt_work_elsewhere;
	uint64_t kernel_work_elsewhere;
	uint64_t busy_ns;		      /* on a CPU, as far as known */
	uint64_t provisional_ns;	      /* of TIME_KERNEL, as yet */
	struct class_error_bound error_bound; /* what uncertain comes from */
};

/* Returns whether @events tell for whom interrupt work is, as far as anything
 * does: else all of it counts as stolen.
 */
bool time_accounts_follow(const struct known_events *events);

/* Adds up time by thread. */
struct time_accounts;

/* Borrows @input.  Without @with_credits, which must be where time_accounts_follow(),
 * it is not looked for whom interrupt work is.  Returns NULL when out of memory.
 */
struct time_accounts *time_accounts_new(const struct attribution_input *input,
					bool with_credits);
void time_accounts_free(struct time_accounts *accounts);

/* These are for struct table_records; the credits have their own. */
void time_accounts_keep(struct time_accounts *accounts,
			struct kept_file_writer *writer);
void time_accounts_pack_tasks(struct time_accounts *accounts,
			      struct pack *pack);
void time_accounts_read(struct time_accounts *accounts, struct pack *pack);

/* Closes the accounts, once, after the last step.  Returns 0, -ERROR_MEMORY. */
int time_accounts_end(struct time_accounts *accounts);

/* Appends to @list (of struct time_account) an account for each thread that the
 * input's filter is about.  Returns 0 or -ERROR_MEMORY.
 */
int time_accounts_threads(const struct time_accounts *accounts,
			  struct array *list);

/* Owner: the accounts; NULL without credits.  The sums are there after the end. */
struct interrupt_accounts *
time_accounts_interrupts(const struct time_accounts *accounts);
const struct interrupt_sums *
time_accounts_sums(const struct time_accounts *accounts);

#endif
