/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_COLLECTOR_H
#define KT_COLLECTOR_COLLECTOR_H

#include "collector/activation.h"
#include "collector/events/tracepoint_set.h"
#include "collector/trace_unit/cycle_choice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct log;
struct output_folder;

/* What tells which functions run. */
enum collector_source {
	SOURCE_TRACE_UNIT,
	SOURCE_FUNCTION_GRAPH, /* the kernel's own tracer */
};

/* This is what to record.  All of it is borrowed. */
struct collector_options {
	enum collector_source source;
	/* The recording: empty. */
	const struct output_folder *folder;
	char *const *command; /* ended by NULL; NULL: none */
	const pid_t *processes;
	size_t process_count;
	bool whole_cpus;    /* everything that runs */
	const char *cpus;   /* a list; NULL: all that are online */
	const char *filter; /* see address_filter_parse(); or NULL */
	const char *sink;   /* of the trace; NULL: the kernel's choice */
	struct cycle_choice cycles;
	bool return_stack; /* of CoreSight: leave out what it foretells */
	unsigned int tracepoints;    /* enum tracepoint_set bits */
	bool tracepoints_may_miss;   /* nobody asked: go on without tracefs */
	uint32_t user_stack_bytes;   /* of it at system calls, 0: no stack */
	bool user;		     /* user space as well */
	bool snapshot;		     /* keep the newest trace only */
	const char *const *triggers; /* see trigger_spec_parse() */
	size_t trigger_count;
	const char *only;      /* see gate_list_check(); or NULL */
	const char *only_line; /* a named pipe that chooses others; or NULL */
	bool hits_of_all;      /* nor chosen calls: not the command's alone */
	uint64_t after_ns;     /* to go on tracing behind a hit */
	uint64_t max_hits;     /* 0: no limit */
	size_t buffer_bytes;   /* of trace, per CPU: a power of two */
	struct activation activation;
	uint64_t duration_ns; /* 0: no limit */
	uint64_t max_bytes;   /* of the recording; 0: no limit */
	/* How the recorder was called, for the recording's header. */
	int argc;
	char *const *argv;
};

/* Why a recording ended. */
enum collector_end {
	COLLECTOR_FAILED, /* the reason is in the log */
	COLLECTOR_COMMAND_ENDED,
	COLLECTOR_NOT_BEGUN,	/* by a signal, before its instant came */
	COLLECTOR_NOT_EXECUTED, /* the command: exec failed */
	COLLECTOR_TARGET_GONE,	/* all the processes have ended */
	COLLECTOR_INTERRUPTED,	/* by a signal */
	COLLECTOR_TIME_OVER,
	COLLECTOR_SIZE_REACHED, /* the command goes on */
	COLLECTOR_HITS_REACHED, /* likewise */
};

/* This is what came of it. */
struct collector_result {
	enum collector_end end;
	int command_status; /* as of waitpid(2); if there was a command */
	int exec_errno;	    /* if it was not executed */
	int signal;	    /* that interrupted */
	uint64_t trace_bytes;
	uint64_t file_bytes;
	uint64_t lost_records; /* of sideband: the rings were full */
	uint64_t truncated;    /* times that trace was lost */
	size_t lost_code;      /* pieces of code that were never copied */
	unsigned int snapshots;
	size_t triggers;	 /* that were armed */
	unsigned int hits;	 /* of triggers, whose trace was kept */
	unsigned int overlapped; /* those that came meanwhile */
	unsigned int by_stops;	 /* longer than a limit by the stops alone */
	uint64_t stops;		 /* times that the recorder stopped the trace */
	uint64_t stopped_ns;	 /* in all */
	uint64_t missed;	 /* calls that no probe saw */
	unsigned int away_cpus;	 /* that were switched off or on meanwhile */
	bool was_activated;	 /* at an instant: */
	int64_t late_ns;	 /* all was recorded so long after that */
	uint64_t length_ns;	 /* from the begin of tracing to its end */
};

/* Looks whether @source can be had here, and touches nothing.
 *
 * Returns NULL, or a text that says why not, and in @fix what to do about it.
 */
const char *collector_refusal(enum collector_source source, const char **fix);

/* Records.  Returns when the recording is complete and the command, if any,
 * has ended; after a second SIGINT or SIGTERM without waiting for it.
 *
 * Takes over the handling of SIGINT, SIGTERM, SIGHUP, SIGCHLD and SIGUSR2 of
 * the calling process, which must have one thread.
 * Returns 0 and @result; or a negative enum error with the reason in @log,
 * and @result as far as it is known.
 */
int collector_run(const struct collector_options *options,
		  const struct log *log, struct collector_result *result);

#endif
