/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_REPORT_OPTIONS_H
#define KT_CMD_REPORT_OPTIONS_H

#include "cmd/options/engine.h"
#include "cmd/options/own_option.h"
#include "common/array.h"
#include "common/name_choice.h"
#include "report/steps/step_filter.h"
#include "report/steps/task_groups.h"
#include "report/steps/task_stacks.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Under whom a profile has interrupt work. */
enum bill_choice {
	BILL_AUTO,	  /* beneficiary where it matters and is known */
	BILL_BENEFICIARY, /* whom it was for */
	BILL_VICTIM,	  /* whom it stopped */
};

enum color_choice { COLORS_AUTO, COLORS_ALWAYS, COLORS_NEVER };

/* The options that every reading command has. */
struct report_options {
	const char *input;  /* -i; NULL: the last recording here */
	const char *second; /* of the two that are compared */
	const char *output; /* -o; NULL: standard output */
	FILE *capture;	    /* NULL, or where output goes instead */
	const char *format; /* --format; NULL: the command's default */
	uint64_t top;	    /* --top; UINT64_MAX: all */
	const char *since;  /* --since and --until, as written */
	const char *until;
	struct array pids;  /* int32_t */
	struct array trees; /* int32_t */
	struct name_choice comms;
	struct array cpus;	  /* uint32_t */
	bool is_paged;		  /* text goes to a pager on a terminal */
	enum color_choice colors; /* --color; by default on a terminal */
	bool with_idle;		  /* --with-idle */
	bool with_tracer;	  /* --with-tracer */
	enum bill_choice bill;	  /* --bill */
	enum group_by by;	  /* --by */
	bool only_tracer;	  /* --tracer, of the commands that have it */
	bool wants_lines;	  /* --lines, of the commands that have it */
	const char *sort;	  /* --sort, likewise: a column's name */
	const char *title;	  /* --title, likewise */
	uint64_t jobs;		  /* --jobs; 0: as many as there are CPUs */
	enum engine engine;	  /* --engine */
	const char *query;  /* of the command that takes one; NULL: none */
	const char *symfs;  /* --symfs; NULL: this machine's files */
	uint32_t given_own; /* bit I: the command's own option I was there */
	struct array pairs; /* char *: two arguments as one */
};

/* Takes option @index of the command's own list.
 *
 * Returns whether @argument is acceptable.
 */
typedef bool take_own_option(void *ctx, int index, const char *argument);

struct option_set {
	const char *command;
	const char *purpose;
	const char *formats; /* that --format may be */
	bool is_paged;	     /* its text is to be read, not kept */
	bool has_no_tasks;   /* it takes no --pid, --tree and --comm */
	bool has_no_rows;    /* nor --top */
	bool adds_up;	     /* it takes --with-idle, --with-tracer, --bill
				 * and --by */
	bool is_page;	     /* nor what chooses and shapes an output */
	bool takes_input;    /* a word may stand for -i DIR */
	bool takes_two;	     /* two words are recordings */
	bool takes_query;    /* the last one may be a query */
	const struct own_option *own;
	int own_count;
	/* Pairs of own options that contradict each other, the second one
	 * perhaps a format as "format=csv"; up to one of NULL.
	 */
	const char *const (*contradictions)[2];
	take_own_option *take;
	void *ctx;
};

/* Reads the command line.  Wrong usage is said to standard error, --help to
 * standard output.
 *
 * Returns 0, or the exit code to end with plus 1.  Free @options either way.
 */
int report_options_read(struct report_options *options,
			const struct option_set *set, int argc, char **argv);
void report_options_free(struct report_options *options);

/* Returns the filter that the options ask for; it borrows them. */
struct step_filter report_options_filter(const struct report_options *options,
					 const struct task_names *names);

/* Reads --since and --until: seconds of the recording's clock, or with a
 * plus sign seconds after @first_ns; "s", "ms", "us" and "ns" may follow.
 *
 * Returns 0, or -1 if one is no time or they are exchanged; standard error
 * knows which.
 */
int report_options_window(const struct report_options *options,
			  uint64_t first_ns, struct time_window *window);

#endif
