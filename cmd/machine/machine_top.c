/* SPDX-License-Identifier: MIT */
#include "cmd/machine/machine.h"
#include "cmd/machine/machine_arguments.h"
#include "cmd/machine/machine_script.h"
#include "cmd/top/top_options.h"
#include "cmd/top/top_screen.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

static void add_top(struct array *arguments, const struct top_options *options,
		    const char *program)
{
	const char *const *words = options->words.items;
	char *const *command = options->command;

	machine_add(arguments, program);
	machine_add(arguments, "top");
	for (size_t i = 0; i < options->words.count; i++)
		machine_add(arguments, words[i]);
	machine_add(arguments, "--");
	while (*command)
		machine_add(arguments, *command++);
	machine_add(arguments, NULL);
}

int machine_top(const struct top_options *options)
{
	struct array arguments = ARRAY_OF(char *);
	bool has_terminal = !options->is_once && !options->is_json &&
			    top_screen_is_there();
	char program[PATH_MAX];
	char *words = options->machine_options ?
			      strdup(options->machine_options) :
			      NULL;
	int code = EXIT_MACHINE;

	machine_add(&arguments, "machine");
	machine_add(&arguments, has_terminal ? "shell" : "run");
	if (options->arch) {
		machine_add(&arguments, "--arch");
		machine_add(&arguments, options->arch);
	}
	if (words)
		machine_add_words(&arguments, words);
	machine_add(&arguments, "--discard");
	if (!machine_find_recorder(options->arch, program)) {
		add_top(&arguments, options, program);
		code = machine_script_run(arguments.items);
	}
	free(words);
	array_free(&arguments);
	return code;
}
