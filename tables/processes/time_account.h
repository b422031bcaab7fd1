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

/* The time of one thread, or of all threads of a process, by class. Each class
 * of interrupt time has two parts: benefited and stolen.
 */
struct time_account {
	const struct task *task; /* of a process: any of its threads */
	int32_t pid;
	int32_t tid;	  /* of a process: its pid */
	const char *comm; /* its last name */
	uint64_t threads;
	uint64_t wall_ns; /* the sum of the classes */
	uint64_t class_ns[TIME_CLASSES];
	/* part of TIME_TRACER, in ns: runnable while the recorder had its CPU
	 */
	uint64_t recorder_wait;
	uint64_t benefited_ns; /* part of TIME_INTERRUPT */
	uint64_t stolen_ns;
	uint64_t unknown_ns[UNKNOWN_REASONS];
	/* maximum error of a class in ns: the sum of the errors of the times at
	 * which the class changed
	 */
	uint64_t uncertain;
	uint64_t context_switches; /* number of times it left a CPU */
	uint64_t system_calls;	   /* number started */
	uint64_t faults;	   /* page faults and exceptions */
	/* Of processes: ns that other processes' threads and idle CPUs spent
	 * for it, in interrupts, and in work items and threaded handlers.
	 */
	uint64_t interrupt_work_elsewhere;
	uint64_t kernel_work_elsewhere;
	uint64_t busy_ns; /* on a CPU, as far as known */
	/* part of TIME_KERNEL that may yet be reclassified */
	uint64_t provisional_ns;
	struct class_error_bound error_bound; /* source of uncertain */
};

/* Returns whether @events show, as far as any can, for which process interrupt
 * work is. If not, all of it counts as stolen.
 */
bool time_accounts_follow(const struct known_events *events);

/* Sums of time by thread. */
struct time_accounts;

/* Borrows @input. @with_credits: find for which process interrupt work is; may
 * only be false if time_accounts_follow() is. Returns NULL when out of memory.
 */
struct time_accounts *time_accounts_new(const struct attribution_input *input,
					bool with_credits);
void time_accounts_free(struct time_accounts *accounts);

/* Members of struct table_records; the credits have their own. */
void time_accounts_keep(struct time_accounts *accounts,
			struct kept_file_writer *writer);
void time_accounts_pack_tasks(struct time_accounts *accounts,
			      struct pack *pack);
void time_accounts_read(struct time_accounts *accounts, struct pack *pack);

/* Closes the accounts. Must be called once, after the last call event. Returns
 * 0 or -ERROR_MEMORY.
 */
int time_accounts_end(struct time_accounts *accounts);

/* Appends to @list (of struct time_account) an account for each thread that the
 * input's filter selects. Returns 0 or -ERROR_MEMORY.
 */
int time_accounts_threads(const struct time_accounts *accounts,
			  struct array *list);

/* Owner: the accounts; NULL without credits. The sums are complete after
 * time_accounts_end().
 */
struct interrupt_accounts *
time_accounts_interrupts(const struct time_accounts *accounts);
const struct interrupt_sums *
time_accounts_sums(const struct time_accounts *accounts);

#endif
