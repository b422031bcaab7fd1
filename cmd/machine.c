/* SPDX-License-Identifier: MIT */
#include "cmd/machine.h"
#include "cmd/command.h"
#include "cmd/record_options.h"
#include "common/array.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_MACHINE = 125 };

/* Where the script is, seen from the program's own folder: in the source tree
 * and when installed.
 */
static const char *const places[] = {
	"../machine/host/machine",
	"../libexec/ktrace-hw/host/machine",
};

/* Sets @path to this program's own file.  Returns 0 or -1. */
static int find_self(char path[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

	if (length < 0)
		return -1;
	path[length] = '\0';
	return 0;
}

static int find_script(char script[PATH_MAX])
{
	char self[PATH_MAX];
	char path[PATH_MAX + 64];

	if (find_self(self))
		return -1;
	*strrchr(self, '/') = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", self, places[i]);
		if (!access(path, X_OK) && realpath(path, script))
			return 0;
	}
	return -1;
}

bool machine_is_installed(void)
{
	char script[PATH_MAX];

	return !find_script(script);
}

/* Becomes the script with @arguments, an array of char *. */
static int run_script(struct array *arguments)
{
	char script[PATH_MAX];
	char **argv = arguments->items;

	if (find_script(script)) {
		fputs("ktrace-hw: the virtual machine is not installed: "
		      "machine/host/machine is missing beside the program\n",
		      stderr);
		return EXIT_MACHINE;
	}
	argv[0] = script;
	execv(script, argv);
	fprintf(stderr, "ktrace-hw: %s: %s\n", script, strerror(errno));
	return EXIT_MACHINE;
}

/* Appends @text; a NULL ends the list. */
static void add(struct array *arguments, const char *text)
{
	const char **item = array_add(arguments);

	if (!item) {
		fputs("ktrace-hw: out of memory\n", stderr);
		exit(EXIT_MACHINE);
	}
	*item = text;
}

/* Appends the words of @text, which it cuts up. */
static void add_words(struct array *arguments, char *text)
{
	char *rest = text;
	const char *word;

	while ((word = strsep(&rest, " ")))
		if (*word)
			add(arguments, word);
}

int machine_record(const struct record_options *options)
{
	struct array arguments = ARRAY_OF(char *);
	char *words = options->machine_options
			      ? strdup(options->machine_options)
			      : NULL;
	char folder[PATH_MAX];
	char self[PATH_MAX];
	int code = EXIT_MACHINE;

	if (!realpath(options->folder, folder) || find_self(self)) {
		fprintf(stderr, "ktrace-hw: %s: %s\n", options->folder,
			strerror(errno));
		return code;
	}
	add(&arguments, "machine");
	add(&arguments, "run");
	if (words)
		add_words(&arguments, words);
	/* What is written to the host at once is traced, too. */
	add(&arguments, "--late-results");
	add(&arguments, "--results");
	add(&arguments, folder);
	add(&arguments, "--");
	add(&arguments, self);
	for (int i = 0; i < options->collector.argc; i++)
		if (strncmp(options->collector.argv[i], "--machine", 9) ||
		    i >= options->command_index)
			add(&arguments, options->collector.argv[i]);
	add(&arguments, NULL);
	code = run_script(&arguments);
	free(words);
	array_free(&arguments);
	return code;
}

static int run_machine(int argc, char **argv)
{
	struct array arguments = ARRAY_OF(char *);
	int code;

	for (int i = 0; i <= argc; i++)
		add(&arguments, argv[i]);
	code = run_script(&arguments);
	array_free(&arguments);
	return code;
}

const struct command machine_command = {
	.name = "machine",
	.summary = "run a command in a virtual machine with a trace unit",
	.run = run_machine,
};
