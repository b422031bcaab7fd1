/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_options.h"
#include "cmd/record/record_plan.h"
#include "collector/events/tracefs.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 5 };

/* A command line, which must outlive the options. */
struct line {
	char words[MOST_WORDS + 2][64];
	char *argv[MOST_WORDS + 3];
	int argc;
};

static void add_word(struct line *line, const char *word)
{
	char *copy = line->words[line->argc];

	snprintf(copy, sizeof(line->words[0]), "%s", word);
	line->argv[line->argc++] = copy;
}

static void parse(struct record_options *options, struct line *line,
		  const char *const *words)
{
	*line = (struct line){ .argc = 0 };
	add_word(line, "record");
	while (*words)
		add_word(line, *words++);
	add_word(line, "true");
	ck_assert_int_eq(record_options_parse(options, line->argc, line->argv),
			 0);
}

static const struct {
	const char *words[MOST_WORDS];
	enum collector_source source;
	const char *expected;
} plans[] = {
	{ { "--events=attribution" },
	  SOURCE_TRACE_UNIT,
	  "cost: switches between threads take up to 1.6 times as long, system "
	  "calls no longer; not recorded: user space, arguments of system "
	  "calls, locks, addresses of page faults, user stacks (--everything "
	  "records them)" },
	{ { "--events=none", "--user", "--user-stacks" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 25 us for each system call (4 us with "
	  "--user-stacks=1K); not recorded: wake-ups, causes of interrupts, "
	  "arguments of system calls, locks, addresses of page faults "
	  "(--everything records them)" },
	{ { "--events=all", "--user-stacks=1K" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 4 us for each system call; not recorded: user space, "
	  "files and paths of system calls (--everything records them)" },
	{ { "--events=all", "--user" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 3 us for each system call; not recorded: files and paths "
	  "of system calls (--everything records them)" },
	{ { "--events=locks", "--syscall-data" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 12 us for each system call with a file or path, 4 us for "
	  "others; not recorded: causes of interrupts, user space, addresses of "
	  "page faults, user stacks (--everything records them)" },
	/* The trace has the stacks of a program from its start on. */
	{ { "--everything" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 12 us for each system call with a file or path, 4 us for "
	  "others" },
	{ { "--everything", "--snapshot" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 35 us for each system call (12 us with "
	  "--user-stacks=1K)" },
	{ { "--everything" },
	  SOURCE_FUNCTION_GRAPH,
	  "cost: the kernel's code takes 30 to 50 times as long; not recorded: "
	  "user space" },
	{ { "--everything", "--only=read" },
	  SOURCE_TRACE_UNIT,
	  "cost: about 35 us for each system call (12 us with "
	  "--user-stacks=1K); not recorded: user space" },
	/* Attribution needs all functions. */
	{ { "--filter=vfs_read" },
	  SOURCE_TRACE_UNIT,
	  "cost: switches between threads take up to 1.6 times as long, system "
	  "calls no longer; not recorded: causes of interrupts, user space, "
	  "arguments of system calls, locks, addresses of page faults, user "
	  "stacks (--everything records them)" },
};

START_TEST(plans_say_what_is_missing)
{
	struct record_options options;
	struct line line;
	char text[RECORD_PLAN_SIZE];

	parse(&options, &line, plans[_i].words);
	options.collector.source = plans[_i].source;
	record_plan_choose(&options);
	record_plan_describe(&options, text);
	ck_assert_str_eq(text, plans[_i].expected);
	record_options_free(&options);
}
END_TEST

START_TEST(everything_extends_other_options)
{
	struct record_options options;
	struct line line;

	parse(&options, &line,
	      (const char *[]){ "--events=irq", "--user-stacks=1K",
				"--everything", NULL });
	ck_assert_uint_eq(options.collector.tracepoints,
			  TRACEPOINTS_ALL & ~(unsigned int)(TRACEPOINTS_SWITCH |
							    TRACEPOINTS_IDLE));
	ck_assert_uint_eq(options.collector.user_stack_bytes, 1024);
	ck_assert(options.collector.user);
	ck_assert(options.collector.whole_cpus);
	record_options_free(&options);
}
END_TEST

SUITE("record_plan")
{
	TEST_EACH(plans_say_what_is_missing, plans);
	TEST(everything_extends_other_options);
}
