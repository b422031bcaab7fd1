/* SPDX-License-Identifier: MIT */
#ifndef KT_EXPLAIN_CAUSES_INTERNAL_H
#define KT_EXPLAIN_CAUSES_INTERNAL_H

#include "attribution/time/time_span.h"
#include "common/array.h"
#include "explain/critical_path_internal.h"

#include <stdbool.h>
#include <stdint.h>

struct task_names;

/* The sums of a critical path by cause, and its longest links.
 *
 * A cause is a use of time by a program (threads with one name are one
 * program), with the program that it waited for, if any. Each cause has details
 * by system call, function and position in the program.
 *
 * Memory grows with the number of different causes and details, not of links.
 */
enum why {
	/* The values of enum link_kind precede these. */
	/* of links with a cause, see enum cause_kind: */
	WHY_LOCK = LINK_KINDS,
	WHY_FUTEX,
	WHY_REPLY,
	WHY_HELPER, /* a kernel thread worked for the program */
	/* a thread that it waited for had no CPU, because a thread with a lower
	 * priority than the waiter had it: priority inversion
	 */
	WHY_INVERSION,
	WHY_COUNT,
};

/* Returns whether the details of a cause are the work of the thread that the
 * program waited for, not of the program itself.
 */
static inline bool why_is_of_actor(uint32_t why)
{
	return why == WHY_LOCK || why == WHY_FUTEX || why == WHY_REPLY;
}

/* An interval of a thread of the command. */
struct cause_moment {
	uint32_t thread;
	uint64_t begin_ns;
	uint64_t ns; /* its part of the path */
};

struct cause {
	uint32_t why;	  /* enum why or link_kind */
	uint32_t program; /* index of a name in causes */
	uint32_t actor;	  /* like program; LIFE_NONE: none */
	uint32_t index;
	uint64_t ns;
	uint64_t count; /* number of links */
	struct cause_moment longest;
	/* WHY_REPLY: the actor is a thread of the same process that was not
	 * chosen (options chose threads by name)
	 */
	bool is_sibling;
	/* Set by causes_sort(): pid is the process with most of the cause's
	 * time, main_ns is its time, and has_pids is set if other processes
	 * have some.
	 */
	int32_t pid;
	bool has_pids;
	uint64_t main_ns;
};

/* The share of a process in a cause. */
struct cause_process {
	uint32_t cause; /* index of struct cause */
	int32_t pid;
	uint64_t ns;
};

/* The relation of a thread to the actor of a cause. */
enum further {
	FURTHER_NONE,	 /* of the same process */
	FURTHER_PROCESS, /* of another process, for which the actor waited */
	FURTHER_LOCK, /* of another process, for whose lock the actor waited */
};

/* A part of a cause. */
struct cause_detail {
	uint32_t cause;	   /* index of struct cause */
	uint32_t kind;	   /* enum link_kind */
	uint32_t function; /* as in struct path_link */
	/* If why_is_of_actor(): program is the program whose time this is, and
	 * further is the relation of its thread to the actor. Else LIFE_NONE
	 * and FURTHER_NONE.
	 */
	uint32_t program;
	uint32_t further; /* enum further */
	/* of the command's thread: its system call or other context (struct
	 * life_sleep), and the function of the program that caused that
	 */
	uint32_t call;
	/* LINK_TIMER: as in struct life_sleep; else FUNCTION_NONE */
	uint32_t refused;
	uint32_t inside;
	uint32_t user;
	uint32_t user_offset;
	/* LINK_DISK to LINK_WAIT of the actor's side: the system call in which
	 * that thread slept, and the function of its program that called it;
	 * else FUNCTION_NONE
	 */
	uint32_t actor_call;
	uint32_t actor_user;
	uint64_t ns;
	uint64_t count; /* number of faults */
	/* number of the command's sleeps to which this detail belongs, and the
	 * last of these sleeps
	 */
	uint64_t sleeps;
	const struct life_sleep *last_sleep;
};

/* A stored link: the longest wait with its cause, call and position in the
 * program.
 */
struct long_link {
	struct path_link link; /* its causes are NULL */
	struct cause_moment moment;
	uint32_t cause;
};

enum { LONG_LINKS = 5 };

struct causes {
	const struct lives *lives;
	const struct task_names *names;
	struct keyed_array all;	      /* struct cause */
	struct keyed_array details;   /* struct cause_detail */
	struct keyed_array processes; /* struct cause_process */
	struct array programs;	      /* const char *, names of threads */
	struct array by_thread; /* uint32_t: index in programs + 1 by thread */
	struct long_link longest[LONG_LINKS];
	size_t long_count;
	uint64_t ns;	      /* sum of all links */
	uint64_t inferred_ns; /* sum of inferred links */
	uint64_t unknown_ns;  /* sum of LINK_UNKNOWN */
	uint64_t reasons_ns
		[UNKNOWN_REASONS]; /* LINK_UNKNOWN, by enum unknown_reason */
	uint64_t links;
};

/* Returns sums without any link. Borrows @lives and @names. */
struct causes causes_of(const struct lives *lives,
			const struct task_names *names);
void causes_free(struct causes *causes);

/* Adds a link. Returns 0 or -ERROR_MEMORY. */
int causes_add(struct causes *causes, const struct path_link *link);

/* Sorts causes, details and longest links, longest first; nothing can be added
 * afterwards.
 */
void causes_sort(struct causes *causes);

/* The processes of a path. */
struct process_sum {
	uint64_t count;
	uint64_t ns;
};

/* Sums up the processes of the path without process @pid, if they are 20 or
 * more, short ones (20 ms on average), and half of the path: a loop starts
 * them. Else, and when out of memory, returns a sum of fewer or none.
 */
struct process_sum causes_short_processes(const struct causes *causes,
					  int32_t pid);

/* Returns the name of program @index. */
const char *causes_program(const struct causes *causes, uint32_t index);

#endif
