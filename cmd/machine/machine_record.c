/* SPDX-License-Identifier: MIT */
#include "cmd/console/say.h"
#include "cmd/machine/machine.h"
#include "cmd/machine/machine_arguments.h"
#include "cmd/machine/machine_child.h"
#include "cmd/machine/machine_script.h"
#include "cmd/record/record_options.h"
#include "common/array.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Adds what the machine runs: the recorder with its options, and with the
 * folder that is written on the host, whatever folder it runs in.
 */
static void add_recorder(struct array *arguments,
			 const struct record_options *options,
			 const char *recorder, const char *folder)
{
	const char *const *words = options->words.items;
	char *const *command = options->collector.command;

	machine_add(arguments, recorder);
	machine_add(arguments, "record");
	for (size_t i = 0; i < options->words.count; i++)
		machine_add(arguments, words[i]);
	machine_add(arguments, "--output");
	machine_add(arguments, folder);
	machine_add(arguments, "--");
	while (*command)
		machine_add(arguments, *command++);
	machine_add(arguments, NULL);
}

static int run(const struct record_options *options, const char *recorder,
	       const char *folder)
{
	struct array arguments = ARRAY_OF(char *);
	char *words = options->machine_options ?
			      strdup(options->machine_options) :
			      NULL;
	int code;

	machine_add(&arguments, "machine");
	machine_add(&arguments, "run");
	if (options->arch) {
		machine_add(&arguments, "--arch");
		machine_add(&arguments, options->arch);
	}
	if (words)
		machine_add_words(&arguments, words);
	if (options->discard)
		machine_add(&arguments, "--discard");
	/* What is written to the host at once is traced, too. */
	machine_add(&arguments, "--late-results");
	machine_add(&arguments, "--results");
	machine_add(&arguments, folder);
	machine_add(&arguments, "--");
	add_recorder(&arguments, options, recorder, folder);
	code = machine_child_run(arguments.items);
	free(words);
	array_free(&arguments);
	return code;
}

int machine_record(const struct record_options *options)
{
	char recorder[PATH_MAX];
	char folder[PATH_MAX];

	if (!realpath(options->folder, folder)) {
		say("%s: %s", options->folder, strerror(errno));
		return EXIT_MACHINE;
	}
	if (machine_find_recorder(options->arch, recorder))
		return EXIT_MACHINE;
	return run(options, recorder, folder);
}
