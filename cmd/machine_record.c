/* SPDX-License-Identifier: MIT */
#include "cmd/machine.h"
#include "cmd/machine_script.h"
#include "cmd/record_options.h"
#include "common/array.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The recorder for a machine of another architecture: cross-built in the
 * source tree, or installed.
 */
static const char *const arm64_places[] = {
	"../build-arm64/ktrace-hw",
	"../libexec/ktrace-hw/arm64/ktrace-hw",
};

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

/* Sets @path to where the machine finds the recorder.  A machine with files of
 * its own has the host's in a folder.
 */
static int find_recorder(const char *arch, char path[PATH_MAX])
{
	const size_t count = sizeof(arm64_places) / sizeof(*arm64_places);
	char found[PATH_MAX];
	int length;

	if (!arch || strcmp(arch, "arm64")) {
		if (!machine_find_self(path))
			return 0;
		fprintf(stderr, "ktrace-hw: /proc/self/exe: %s\n",
			strerror(errno));
		return -1;
	}
	if (machine_find_beside(arm64_places, count, found)) {
		fputs("ktrace-hw record: --arch arm64: the program for arm64 "
		      "is not built: scripts/arm64_sysroot.sh, then "
		      "make ARCH=arm64\n", stderr);
		return -1;
	}
	length = snprintf(path, PATH_MAX, "/host%s", found);
	if (length < PATH_MAX)
		return 0;
	fprintf(stderr, "ktrace-hw: %s: %s\n", found, strerror(ENAMETOOLONG));
	return -1;
}

/* What the machine runs: the recorder with its options, and with the folder
 * that is written on the host, whatever folder it runs in.
 */
static void add_recorder(struct array *arguments,
			 const struct record_options *options,
			 const char *recorder, const char *folder)
{
	const char *const *words = options->words.items;
	char *const *command = options->collector.command;

	add(arguments, recorder);
	add(arguments, "record");
	for (size_t i = 0; i < options->words.count; i++)
		add(arguments, words[i]);
	add(arguments, "--output");
	add(arguments, folder);
	add(arguments, "--");
	while (*command)
		add(arguments, *command++);
	add(arguments, NULL);
}

static int run(const struct record_options *options, const char *recorder,
	       const char *folder)
{
	struct array arguments = ARRAY_OF(char *);
	char *words = options->machine_options
			      ? strdup(options->machine_options)
			      : NULL;
	int code;

	add(&arguments, "machine");
	add(&arguments, "run");
	if (options->arch) {
		add(&arguments, "--arch");
		add(&arguments, options->arch);
	}
	if (words)
		add_words(&arguments, words);
	if (options->discard)
		add(&arguments, "--discard");
	/* What is written to the host at once is traced, too. */
	add(&arguments, "--late-results");
	add(&arguments, "--results");
	add(&arguments, folder);
	add(&arguments, "--");
	add_recorder(&arguments, options, recorder, folder);
	code = machine_script_run(arguments.items);
	free(words);
	array_free(&arguments);
	return code;
}

int machine_record(const struct record_options *options)
{
	char recorder[PATH_MAX];
	char folder[PATH_MAX];

	if (!realpath(options->folder, folder)) {
		fprintf(stderr, "ktrace-hw: %s: %s\n", options->folder,
			strerror(errno));
		return EXIT_MACHINE;
	}
	if (find_recorder(options->arch, recorder))
		return EXIT_MACHINE;
	return run(options, recorder, folder);
}
