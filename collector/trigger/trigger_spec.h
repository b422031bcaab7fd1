/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_TRIGGER_SPEC_H
#define KT_COLLECTOR_TRIGGER_SPEC_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of triggers, with examples. */
enum trigger_kind {
	TRIGGER_CALL,	    /* read>10ms: a system call or kernel function */
	TRIGGER_SLEEP,	    /* sleep@futex>100ms: one sleep inside of one */
	TRIGGER_RUNNABLE,   /* runnable>5ms: a wait for a CPU */
	TRIGGER_TRACEPOINT, /* sched:sched_process_exit if FILTER */
	TRIGGER_USER,	    /* uprobe:FILE:FUNCTION, also with >TIME */
	TRIGGER_SIGNAL,	    /* signal:SEGV,BUS; crash: those that dump core */
	TRIGGER_EXIT,	    /* exit!=0: the command exits with such a status */
	TRIGGER_LINE,	    /* line:FIFO: a line is written to it */
};

enum { TRIGGER_NAME_SIZE = 128, TRIGGER_FILTER_SIZE = 256 };

/* Size of the name by which the kernel finds a function, or of a list of names
 * to choose from.
 */
enum { TRIGGER_FUNCTION_SIZE = 256 };

/* Returns whether @text is the name of a system call or kernel function, with
 * or without an offset (kernel_functions_find()).
 */
bool trigger_name_is_function(const char *text, size_t length);

/* One --trigger=SPEC, parsed. */
struct trigger_spec {
	enum trigger_kind kind;
	const char *text;		  /* as given by the user; borrowed */
	char name[TRIGGER_NAME_SIZE];	  /* call, function or tracepoint */
	char path[PATH_MAX];		  /* program or FIFO */
	char filter[TRIGGER_FILTER_SIZE]; /* of a tracepoint, or empty */
	uint64_t limit_ns; /* hits when longer; 0: at each start */
	uint64_t signals;  /* bit N: signal N */
};

/* Parses @text, which is borrowed, into @spec.
 *
 * Returns NULL, or a description of the form expected instead of the invalid
 * part.
 */
const char *trigger_spec_parse(const char *text, struct trigger_spec *spec);

/* Parses a time such as "10ms" or "1.5s" (ns, us, ms, s), above zero and less
 * than a day.
 *
 * Returns 0 and *@ns, or -1.
 */
int trigger_time_parse(const char *text, uint64_t *ns);

#endif
