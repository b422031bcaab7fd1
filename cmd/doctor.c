/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/machine/machine.h"
#include "cmd/options/option_lists.h"
#include "collector/collector.h"
#include "collector/diagnosis.h"
#include "common/closest_word.h"
#include "report/text/name_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
	[DIAGNOSIS_GOOD] = "yes",
	[DIAGNOSIS_LIMITED] = "limited",
	[DIAGNOSIS_BAD] = "no",
};

static void print_diagnosis(const struct diagnosis *diagnosis)
{
	printf("%-15s %-8s %s\n", diagnosis->subject, words[diagnosis->verdict],
	       diagnosis->finding);
	if (*diagnosis->fix)
		printf("%-15s %-8s -> %s\n", "", "", diagnosis->fix);
}

static void print_string(const char *key, const char *text, const char *after)
{
	printf("\"%s\": \"", key);
	name_write(stdout, NAME_JSON, text);
	printf("\"%s", after);
}

static void print_object(const struct diagnosis *diagnosis)
{
	fputs("\n  {", stdout);
	print_string("subject", diagnosis->subject, ", ");
	print_string("verdict", words[diagnosis->verdict], ", ");
	print_string("finding", diagnosis->finding, ", ");
	print_string("fix", diagnosis->fix, "}");
}

static struct diagnosis diagnose_machine(void)
{
	struct diagnosis diagnosis = {
		.subject = "virtual machine",
		.verdict = DIAGNOSIS_GOOD,
	};

	if (machine_is_installed()) {
		snprintf(diagnosis.finding, sizeof(diagnosis.finding),
			 "record --machine can be used");
		return diagnosis;
	}
	diagnosis.verdict = DIAGNOSIS_BAD;
	snprintf(diagnosis.finding, sizeof(diagnosis.finding),
		 "machine/host/machine is not in the program's directory");
	snprintf(diagnosis.fix, sizeof(diagnosis.fix),
		 "run the program from its source tree, or install it with "
		 "`make install`");
	return diagnosis;
}

static const char *source_text(bool is_traceable, bool has_graph)
{
	return is_traceable ? "trace unit" :
	       has_graph    ? "function_graph" :
			      "none";
}

/* @has_graph: function_graph can replace the trace unit. It is not tried if the
 * machine has a trace unit that only lacks a right.
 */
static void print_result(bool is_json, bool is_traceable, bool has_graph,
			 bool has_unit)
{
	if (is_json)
		printf("],\n\"source\": \"%s\"}\n",
		       source_text(is_traceable, has_graph));
	else
		printf("\n%s\n",
		       is_traceable ?
			       "ktrace-hw record can trace this kernel." :
		       has_graph ? "ktrace-hw record uses function_graph on "
				   "this kernel, because no trace unit can be "
				   "used." :
		       has_unit	 ? "ktrace-hw record cannot use the trace "
				   "unit until the rights above are there." :
				   "ktrace-hw record cannot trace this "
				   "kernel.");
}

static int diagnose(bool is_json)
{
	void (*const print)(const struct diagnosis *) =
		is_json ? print_object : print_diagnosis;
	struct diagnosis diagnosis;
	bool is_traceable = true;
	const char *fix;
	bool has_unit = !collector_refusal(SOURCE_TRACE_UNIT, &fix);
	bool has_graph = !has_unit &&
			 !collector_refusal(SOURCE_FUNCTION_GRAPH, &fix);
	size_t place = 0;

	if (is_json)
		fputs("{\"version\": 1,\n\"checks\": [", stdout);
	while (diagnosis_next(&place, &diagnosis)) {
		print(&diagnosis);
		if (is_json)
			putchar(',');
		is_traceable &= diagnosis.verdict != DIAGNOSIS_BAD;
	}
	diagnosis = diagnose_machine();
	print(&diagnosis);
	print_result(is_json, is_traceable, has_graph, has_unit);
	return is_traceable || has_graph ? EXIT_OK : EXIT_FAILED;
}

static int refuse_format(const char *format)
{
	struct closest_word closest = closest_word_to(format);
	char similar[CLOSEST_WORD_TEXT];

	closest_word_offer_list(&closest, "text or json");
	say_of("doctor", "--format: no format '%s'%s; there are text and json",
	       format, closest_word_text(&closest, "", similar));
	return EXIT_USAGE;
}

static const char usage[] =
	"usage: ktrace-hw doctor [OPTION]...\n\n"
	"Reports what can be traced on this machine, what is "
	"missing or not\npermitted, and how to fix it.  Exit "
	"code 0: it can be traced.\n\n"
	"  --format=FORMAT        text or json\n"
	"  --selftest             then run ktrace-hw selftest\n"
	"  --help                 this text\n";

struct doctor_options {
	const char *format;
	bool with_selftest;
};

static const struct own_option own_options[] = {
	{ "format", "FORMAT", NULL, 0, TEXT(struct doctor_options, format) },
	{ "selftest", NULL, NULL, 0,
	  FLAG(struct doctor_options, with_selftest) },
};

static int run_doctor(int argc, char **argv)
{
	struct doctor_options options = { .format = "text" };
	const char *format;
	int code = plain_options_read(OWN_LIST(own_options), usage, &options,
				      argc, argv);

	if (code)
		return code - 1;
	if (optind < argc) {
		say_of("doctor", "'%s': it takes only options", argv[optind]);
		return EXIT_USAGE;
	}
	format = options.format;
	if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
		return refuse_format(format);
	code = diagnose(!strcmp(format, "json"));
	if (code || !options.with_selftest)
		return code;
	return selftest_command.run(1, argv);
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "report what this machine can trace, and what is missing",
	.run = run_doctor,
};
