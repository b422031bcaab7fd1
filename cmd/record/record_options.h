/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_OPTIONS_H
#define KT_CMD_RECORD_OPTIONS_H

#include "cmd/record/record_source.h"
#include "collector/collector.h"
#include "collector/gate/gate.h"
#include "common/array.h"

/* The default folder of a recording. */
#define RECORD_DEFAULT_FOLDER "ktrace.data"

/* The command line of `ktrace-hw record`. */
struct record_options {
	struct collector_options collector;
	enum record_source source;
	/* a machine is installed and could run the command */
	bool machine_may_be;
	struct array processes;	   /* pid_t: collector points to them */
	struct array triggers;	   /* const char *: collector points to them */
	char only[GATE_LIST_SIZE]; /* collector points to it; "": not given */
	const char *only_line; /* collector points to it; in argv, or NULL */
	const char *folder;
	bool is_everything; /* --everything */
	bool machine;
	const char *machine_options; /* options for the machine, or NULL */
	/* files written by the command stay in the machine */
	bool discard;
	const char *arch;   /* of the machine; NULL: this host's */
	struct array words; /* const char *: the other options */
	bool help;
};

/* Parses @argv, which must outlive @options.
 *
 * Returns 0, or 2 after a message on standard error.
 */
int record_options_parse(struct record_options *options, int argc, char **argv);
void record_options_free(struct record_options *options);

/* Writes the summary of all options to standard output. */
void record_options_help(void);

#endif
