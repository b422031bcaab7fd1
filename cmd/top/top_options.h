/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_OPTIONS_H
#define KT_CMD_TOP_OPTIONS_H

#include "collector/collector.h"
#include "common/array.h"

struct output_folder;

/* The file in which the sums of all sleeps are saved. */
#define TOP_SUMS_FILE "sums.json"

/* The command line of `ktrace-hw top`. */
struct top_options {
	/* Has neither a folder, because each round has its own, nor the
	 * command, which runs longer than a round.
	 */
	struct collector_options collector;
	struct array processes; /* pid_t: collector points to them */
	char *const *command;	/* ended by NULL; NULL: none */
	uint64_t delay_ns;	/* from one round to the next */
	uint64_t rounds;	/* UINT64_MAX: until it is ended */
	uint64_t top;		/* rows of a table; UINT64_MAX: all */
	bool is_once;		/* text even on a terminal */
	bool is_json;
	bool machine;		     /* runs top in the virtual machine */
	const char *machine_options; /* options for the machine, or NULL */
	const char *arch;	     /* of the machine; NULL: this host's */
	struct array words;	     /* const char *: the other options */
	bool help;
	/* socket of a service whose sums are written instead; NULL: none */
	const char *service;
	/* Where top_sums_save() saves the sums of each round; rounds that cannot
	 * be recorded are then skipped. NULL: nowhere.
	 */
	const struct output_folder *sums_folder;
};

/* Parses @argv, which must outlive @options.
 *
 * Returns 0, or EXIT_USAGE after a message on standard error.
 */
int top_options_parse(struct top_options *options, int argc, char **argv);
void top_options_free(struct top_options *options);

/* Writes the summary of all options to standard output. */
void top_options_help(void);

#endif
