/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_OPTIONS_H
#define KT_CMD_RECORD_OPTIONS_H

#include "cmd/record/record_source.h"
#include "collector/collector.h"
#include "collector/gate/gate.h"
#include "common/array.h"

/* Where a recording goes unless told otherwise. */
#define RECORD_DEFAULT_FOLDER "ktrace.data"

/* The command line of `ktrace-hw record`. */
struct record_options {
	struct collector_options collector;
	enum record_source source;
	bool machine_may_be; /* one is installed, and could run the command */
	struct array processes;	   /* pid_t: what collector points to */
	struct array triggers;	   /* const char *, likewise */
	char only[GATE_LIST_SIZE]; /* likewise; "": it was not given */
	const char *only_line;	   /* likewise, of argv; or NULL */
	const char *folder;
	bool machine;
	const char *machine_options; /* words for the machine; or NULL */
	bool discard;	    /* what the command wrote stays in the machine */
	const char *arch;   /* of the machine; NULL: this one's */
	struct array words; /* const char *: the other options */
	bool help;
};

/* Reads @argv, which must outlive @options.
 *
 * Returns 0, or 2 with what is wrong written to standard error.
 */
int record_options_parse(struct record_options *options, int argc, char **argv);
void record_options_free(struct record_options *options);

/* Writes the summary of all options to standard output. */
void record_options_help(void);

#endif
