/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/machine/machine.h"
#include "collector/collector.h"
#include "collector/diagnosis.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

static void print_diagnosis(const struct diagnosis *diagnosis)
{
	static const char *const words[] = {
		[DIAGNOSIS_GOOD] = "yes",
		[DIAGNOSIS_LIMITED] = "limited",
		[DIAGNOSIS_BAD] = "no",
	};

	printf("%-15s %-8s %s\n", diagnosis->subject, words[diagnosis->verdict],
	       diagnosis->finding);
	if (*diagnosis->fix)
		printf("%-15s %-8s -> %s\n", "", "", diagnosis->fix);
}

static void print_machine(void)
{
	bool installed = machine_is_installed();

	printf("%-15s %-8s %s\n", "virtual machine", installed ? "yes" : "no",
	       installed ? "record --machine can be used" :
			   "machine/host/machine is not in the program's "
			   "directory");
	if (!installed)
		printf("%-15s %-8s -> %s\n", "", "",
		       "run the program from its source tree, or install "
		       "it with `make install`");
}

static int diagnose(void)
{
	struct diagnosis diagnosis;
	bool traceable = true;
	const char *fix;
	bool has_graph = !collector_refusal(SOURCE_FUNCTION_GRAPH, &fix);
	size_t place = 0;

	while (diagnosis_next(&place, &diagnosis)) {
		print_diagnosis(&diagnosis);
		traceable &= diagnosis.verdict != DIAGNOSIS_BAD;
	}
	print_machine();
	printf("\n%s\n",
	       traceable ? "ktrace-hw record can trace this kernel." :
	       has_graph ? "ktrace-hw record uses function_graph on this "
			   "kernel, because no trace unit can be used." :
			   "ktrace-hw record cannot trace this kernel.");
	return traceable || has_graph ? EXIT_OK : EXIT_FAILED;
}

static int run_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	optind = 1;
	option = next_option(argc, argv, "h", options);
	if (option == 'h') {
		puts("usage: ktrace-hw doctor\n\n"
		     "Reports what can be traced on this machine, what is "
		     "missing or not\npermitted, and how to fix it.  Exit "
		     "code 0: it can be traced.");
		return EXIT_OK;
	}
	if (option == -1 && optind == argc)
		return diagnose();
	say_of("doctor", "it has no options except --help");
	return EXIT_USAGE;
}

const struct command doctor_command = {
	.name = "doctor",
	.summary = "report what this machine can trace, and what is missing",
	.run = run_doctor,
};
