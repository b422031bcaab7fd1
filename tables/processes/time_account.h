/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_PROCESSES_TIME_ACCOUNT_H
#define KT_TABLES_PROCESSES_TIME_ACCOUNT_H

/* Where the time of threads and processes went: the accounts that the tables of
 * processes and threads show.
 *
 *  spans of threads' time --> time_accounts ----> struct time_account by thread
 *  switches, calls, faults     (one pass, or      --process_accounts_add()-->
 *  interrupt accounts           time_records)     by process or group
 *
 * Invariants:
 * 1. wall_ns is the sum of class_ns; benefited_ns + stolen_ns is the interrupt
 *    time.
 * 2. Interrupt time that was for another process counts as stolen_ns of the
 *    interrupted thread and as interrupt_work_elsewhere of the beneficiary's
 *    process, but not in that process's wall_ns.
 * 3. uncertain bounds the error of each class (struct class_error_bound).
 * 4. Accounts made from time_records equal the accounts of the pass that wrote
 *    them.
 *
 * Errors: -ERROR_MEMORY, kept until time_accounts_end().
 */

#include "attribution/time/time_span.h"
#include "common/array.h"

#include <stdbool.h>
#include <stdint.h>

struct attribution_input;
struct interrupt_accounts;
struct cache_file_writer;
struct known_events;
struct pack;
struct task;
struct task_groups;
struct table_records;
struct task_names;

/* Bounds the error of the class times of one thread. The thread's time moves
 * from one class to another at borders, each of which is exact to a few ns, or
 * a few hundred; each border may shift that much time to the wrong class. The
 * thread's end is such a border, too.
 */
struct class_error_bound {
	/* sum of the errors of all borders before the last one */
	uint64_t sum_ns;
	uint64_t before_ns; /* time in the class before the last border */
	uint64_t since_ns; /* time in the class after the last border, so far */
	uint64_t error_ns; /* error of the last border */
	uint64_t last_ns;  /* end of the last span */
	uint32_t end_error_ns; /* error of last_ns if the thread ended there */
	uint8_t time_class;    /* enum time_class after the last border */
};

/* Adds the thread's next span. */
void class_error_bound_consume(struct class_error_bound *bound,
			       const struct time_span *span);

/* Returns the maximum total error of a class in ns. @until_ns: end of the
 * recording; a thread's end is at that time at the latest.
 */
uint64_t class_error_bound_ns(const struct class_error_bound *bound,
			      uint64_t until_ns);

/* The interrupt time of a thread, by whether it was for the thread's own
 * process (the thread benefited) or for others.
 */
struct interrupt_shares {
	int32_t tid;
	uint64_t own_ns;    /* for the thread's own process */
	uint64_t stolen_ns; /* for other processes, or for none */
};

/* Time on other processes' threads that was for one process. */
struct interrupt_credit {
	int32_t pid;
	uint64_t interrupt_ns; /* interrupt time on threads of other processes
				 * and on idle CPUs */
	/* work of kernel threads that run deferred work */
	uint64_t work_ns;
};

/* The shares of all threads and the credits of all processes. */
struct interrupt_sums {
	struct keyed_array threads;   /* struct interrupt_shares by tid */
	struct keyed_array processes; /* struct interrupt_credit by pid */
};

#define INTERRUPT_SUMS_NONE \
	((struct interrupt_sums){ \
		.threads = KEYED_ARRAY_OF(struct interrupt_shares, tid), \
		.processes = KEYED_ARRAY_OF(struct interrupt_credit, pid), \
	})

/* Adds all accounts of @accounts. Returns 0 or -ERROR_MEMORY. */
int interrupt_sums_add(struct interrupt_sums *sums,
		       const struct interrupt_accounts *accounts);
void interrupt_sums_free(struct interrupt_sums *sums);

/* Returns how the interrupt time of thread @tid divides; own_ns + stolen_ns is
 * the whole of it.
 */
struct interrupt_shares interrupt_sums_thread(const struct interrupt_sums *sums,
					      int32_t tid);

struct interrupt_credit
interrupt_sums_process(const struct interrupt_sums *sums, int32_t pid);

enum time_record_kind {
	RECORD_SPAN,	    /* an interval of a thread's time */
	RECORD_SWITCH,	    /* the thread left a CPU */
	RECORD_SYSTEM_CALL, /* the thread started a system call */
	RECORD_FAULT,
	TIME_RECORD_KINDS,
};

/* A record that thread accounts are summed from. */
struct time_record {
	uint8_t kind; /* enum time_record_kind */
	/* RECORD_SPAN: the final class of the thread's earlier provisional
	 * spans
	 */
	uint8_t resolved;
	/* Without contexts. Kinds other than RECORD_SPAN have only the task,
	 * the CPU, and their time as both begin and end.
	 */
	struct time_span span;
};

/* Writes or reads records. */
struct time_records {
	struct cache_file_writer *writer; /* NULL: records are not written */
	/* const struct task *, by index: tasks of written records */
	struct array kept;
	struct array read; /* struct task, by index: tasks of records to read */
};

#define TIME_RECORDS_NONE \
	((struct time_records){ .kept = ARRAY_OF(const struct task *), \
				.read = ARRAY_OF(struct task) })

void time_records_free(struct time_records *records);

/* Writes @record. Returns 0 or -ERROR_MEMORY. */
int time_records_keep(struct time_records *records,
		      const struct time_record *record);

/* Reads a record into *@record; its task is valid as long as @records. If the
 * record is damaged, fails the pack and sets no task.
 */
void time_records_read(const struct time_records *records, struct pack *pack,
		       struct time_record *record);

/* Writes or reads the tasks of the records. They must be read before the first
 * record.
 */
void time_records_pack_tasks(struct time_records *records, struct pack *pack);

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
	bool is_own; /* of the recorded command; set by processes_table.c */
	/* number of processes that time_accounts_fold() added up; 0: one */
	uint64_t folded;
	/* part of TIME_KERNEL that may yet be reclassified */
	uint64_t provisional_ns;
	struct class_error_bound error_bound; /* source of uncertain */
};

/* Returns whether @events has the events by which interrupt work is charged to
 * processes. Without them all interrupt work counts as stolen.
 */
bool time_accounts_follow(const struct known_events *events);

/* Sums of time by thread. */
struct time_accounts;

/* Borrows @input. @with_credits: find the processes for which interrupt work
 * ran; must be true if time_accounts_follow() is true. Returns NULL when out of
 * memory.
 */
struct time_accounts *time_accounts_new(const struct attribution_input *input,
					bool with_credits);
void time_accounts_free(struct time_accounts *accounts);

/* The records of spans; their owner is a struct time_accounts. The
 * beneficiaries of interrupt work have records of their own
 * (interrupt_accounts.h).
 */
extern const struct table_records time_account_records;

/* Closes the accounts. Must be called once, after the last call event. Returns
 * 0 or -ERROR_MEMORY.
 */
int time_accounts_end(struct time_accounts *accounts);

/* Appends to @list (of struct time_account) an account for each thread that the
 * input's filter selects. Returns 0 or -ERROR_MEMORY.
 */
int time_accounts_threads(const struct time_accounts *accounts,
			  struct array *list);

/* Return the accounts of interrupts, which the trackers of the input own, and
 * their sums, which are complete after time_accounts_end(). NULL without
 * credits.
 */
struct interrupt_accounts *
time_accounts_interrupts(const struct time_accounts *accounts);
const struct interrupt_sums *
time_accounts_sums(const struct time_accounts *accounts);

/* Appends to @processes the sums of @threads (both of struct time_account) by
 * process, or by @groups if that is not NULL, with the group's number as pid.
 * Adds the time on other processes' threads from @interrupts, unless that is
 * NULL; with @groups also the time for the kernel and for no process.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int process_accounts_add(const struct array *threads,
			 const struct task_names *names,
			 const struct task_groups *groups,
			 const struct interrupt_sums *interrupts,
			 struct array *processes);

/* Returns the time by which processes are ranked: wall_ns of the recorded
 * command's processes, since the time that they waited for counts, too; busy_ns
 * of others, which may sleep nearly all the time.
 */
uint64_t time_account_weight(const struct time_account *account);

/* Adds up those of @rows (struct time_account) that have the same name and
 * is_own, and weigh less than a tenth of the heaviest row: such as the
 * processes that a shell starts. The first one becomes the sum; the others are
 * removed.
 */
void time_accounts_fold(struct array *rows);

#endif
