/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_RECORD_OPTIONS_H
#define KT_CMD_RECORD_RECORD_OPTIONS_H

/* The command line of `ktrace-hw record`, as the collector's options.
 *
 *	argv ─► record_options_parse() ─► record_source_choose() ─► collector_run(),
 *	                                                        or cmd/machine/
 *
 * 1. A wrong or contradictory option ends the command before anything is
 *    opened.
 * 2. collector's members point into the other members and into argv, which must
 *    both outlive it: @options must not be copied.
 * 3. The choice of a source other than a trace unit is reported to the user.
 */

#include "collector/collector.h"
#include "common/array.h"
#include "common/formats/recording_events.h"

#include <limits.h>

/* The source of function calls that the user selected. */
enum record_source {
	RECORD_BY_ANY, /* the first one available, else a virtual machine */
	RECORD_BY_TRACE_UNIT,
	RECORD_BY_FUNCTION_GRAPH,
};

/* The default folder of a recording. */
#define RECORD_DEFAULT_FOLDER "ktrace.data"

/* Their paths, /proc/PID/exe, fit into goroutine_programs. */
enum { GOROUTINE_PROCESSES = 200 };

/* The command line of `ktrace-hw record`. */
struct record_options {
	struct collector_options collector;
	enum record_source source;
	/* a virtual machine is installed, and there is a command to run in it
	 */
	bool machine_may_be;
	struct array processes;	   /* pid_t: collector points to them */
	struct array triggers;	   /* const char *: collector points to them */
	char only[GATE_LIST_SIZE]; /* collector points to it; "": not given */
	/* collector points to it, unless the user gave a list */
	char goroutine_programs[PATH_MAX];
	const char *only_line; /* collector points to it; in argv, or NULL */
	const char *folder;
	bool is_everything; /* --everything */
	bool machine;
	const char *machine_options; /* options for the machine, or NULL */
	/* files written by the command stay in the machine */
	bool discard;
	const char *arch; /* of the machine; NULL: this host's */
	/* const char *: options that are passed on to the virtual machine */
	struct array words;
	bool help;
};

/* Parses @argv, which must outlive @options.
 *
 * Returns 0, or 2 after a message on standard error.
 */
int record_options_parse(struct record_options *options, int argc, char **argv);

void record_options_free(struct record_options *options);

/* Chooses the source if @options leave it open: sets collector.source, or
 * selects the virtual machine. Unless it is a trace unit of this machine,
 * prints the choice and the reason on standard error.
 *
 * Returns 0, or -1 after a message on standard error about the missing feature.
 */
int record_source_choose(struct record_options *options);

/* Sets whole_cpus of @collector, to record everything that runs, if its events
 * need that. For callers that have changed the events since
 * record_options_parse().
 */
void record_options_widen_for_events(struct collector_options *collector);

/* Writes the summary of all options to standard output. */
void record_options_help(void);

#endif
