/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_OPTIONS_REPORT_OPTIONS_H
#define KT_CMD_OPTIONS_REPORT_OPTIONS_H

#include "analysis/engine.h"
#include "cmd/options/option_lists.h"
#include "common/array.h"
#include "common/name_choice.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "symbolize/functions/function_table.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The command lines of the commands that read recordings. Each command has its
 * own options, and a part of the common ones. report_options_read() parses
 * both; session_open() (cmd/pipeline/session.h) then opens the recording that
 * they select.
 */

struct task_names;
struct time_window;

/* The function or process that a profile charges interrupt work to. */
enum bill_choice {
	/* the beneficiary if the profile has processes and the recording names
	 * it
	 */
	BILL_AUTO,
	BILL_BENEFICIARY, /* the process for which the interrupt worked */
	BILL_VICTIM,	  /* the task that was interrupted */
};

enum color_choice { COLORS_AUTO, COLORS_ALWAYS, COLORS_NEVER };

/* The options of the commands that read recordings; each has a part of them. */
struct report_options {
	const char *input;  /* -i; NULL: the last recording here */
	const char *second; /* second recording of a comparison */
	const char *output; /* -o; NULL: standard output */
	FILE *capture;	    /* gets the output instead; or NULL */
	const char *format; /* --format; NULL: the command's default */
	uint64_t top;	    /* --top; UINT64_MAX: all */
	const char *since;  /* --since and --until, unparsed */
	const char *until;
	/* --absolute: since, until and times in text are of the recording's
	 * clock
	 */
	bool is_absolute;
	struct array pids;  /* int32_t */
	struct array trees; /* int32_t */
	struct name_choice comms;
	struct array cpus;	  /* uint32_t */
	bool is_paged;		  /* page text on a terminal */
	enum color_choice colors; /* --color; by default on a terminal */
	bool with_idle;		  /* --with-idle */
	bool with_tracer;	  /* --with-tracer */
	enum bill_choice bill;	  /* --bill */
	enum group_by by;	  /* --by */
	bool only_tracer;	  /* --tracer, if the command has it */
	bool wants_lines;	  /* --lines, if the command has it */
	/* --sort, if the command has it: a column's name */
	const char *sort;
	const char *title;	   /* --title, if the command has it */
	uint64_t jobs;		   /* --jobs; 0: the number of CPUs */
	enum engine engine;	   /* --engine */
	const char *query;	   /* if the command has one; NULL: none */
	const char *symfs;	   /* --symfs; NULL: this machine's files */
	bool debuginfod;	   /* --debuginfod */
	enum function_names names; /* --full-names, --mangled */
	bool with_inlined;	   /* --inlined */
	uint32_t given_own; /* bit I: the command's own option I was given */
	/* char *: the arguments of options with two, joined */
	struct array pairs;
};

/* Consumes option @index of the command's own list.
 *
 * Returns whether @argument is valid.
 */
typedef bool consume_own_option(void *ctx, int index, const char *argument);

struct option_set {
	const char *command;
	const char *purpose;
	const char *formats; /* accepted by --format */
	bool is_paged;	     /* its text is shown with a pager */
	bool has_no_tasks;   /* no --pid, --tree and --comm */
	bool has_no_rows;    /* no --top */
	/* accepts --with-idle, --with-tracer, --bill and --by */
	bool adds_up;
	bool is_page;	  /* no options that select or format output */
	bool shows_code;  /* instructions instead of calls: no --inlined */
	bool takes_input; /* an operand may replace -i DIR */
	bool takes_two;	  /* two operands are recordings */
	bool takes_query; /* the last operand may be a query */
	const struct own_option *own; /* their effects are on *ctx */
	int own_count;
	/* Pairs of own options that exclude each other, ended by NULL. The
	 * second may be a format, such as "format=csv".
	 */
	const char *const (*contradictions)[2];
	consume_own_option *consume; /* handles options that are OPTION_TAKEN */
	void *ctx;
};

/* Initializers of struct option_set: the command's own options. */
#define OWN_OPTIONS(list) \
	.own = (list), .own_count = sizeof(list) / sizeof(*(list))

/* Parses the command line. Wrong usage is reported on standard error; --help
 * prints to standard output.
 *
 * Returns 0, or the exit code plus 1. The caller frees @options even after an
 * error.
 */
int report_options_read(struct report_options *options,
			const struct option_set *set, int argc, char **argv);
void report_options_free(struct report_options *options);

/* Reports that --format=@format is no format of @kind ("flat"); @formats lists
 * the valid ones ("text, csv or json"). Returns EXIT_USAGE.
 */
int report_format_refuse(const char *kind, const char *format,
			 const char *formats);

/* Returns the filter that @options describe; it borrows both arguments. */
struct step_filter report_options_filter(const struct report_options *options,
					 const struct task_names *names);

/* Parses --since and --until into @window. A time is in seconds after
 * @first_ns. With a leading "@", or with --absolute, it is a time of the
 * recording's clock; with a leading "+", it is after @first_ns in any case. The
 * suffixes "s", "ms", "us" and "ns" are accepted.
 *
 * Returns 0, or -1 after a message on standard error if a time is invalid or
 * --since is not before --until.
 */
int report_options_window(const struct report_options *options,
			  uint64_t first_ns, struct time_window *window);

#endif
