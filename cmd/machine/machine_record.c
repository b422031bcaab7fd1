/* SPDX-License-Identifier: MIT */
#include "cmd/console/say.h"
#include "cmd/machine/machine.h"
#include "cmd/machine/machine_arguments.h"
#include "cmd/machine/machine_child.h"
#include "cmd/machine/machine_script.h"
#include "cmd/record/record_options.h"
#include "common/array.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_FD = 200 };

/* Adds the command that the machine runs: the recorder with its options, and
 * with the output folder on the host, independent of the guest's working
 * directory.
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

/* Adds the folder that the guest may write to. @path is its name in the guest;
 * QEMU opens the descriptor @fd, even if another folder has that name by then.
 */
static void add_results(struct array *arguments, const char *path, int fd)
{
	char number[16];

	/* Writing to the host during the recording would be traced, too. */
	machine_add(arguments, "--late-results");
	machine_add(arguments, "--results");
	machine_add(arguments, path);
	snprintf(number, sizeof(number), "%d", fd);
	machine_add(arguments, "--results-fd");
	machine_add(arguments, number);
}

static int run(const struct record_options *options, const char *recorder,
	       const char *folder, int fd)
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
	add_results(&arguments, folder, fd);
	machine_add(&arguments, "--");
	add_recorder(&arguments, options, recorder, folder);
	code = machine_child_run(arguments.items);
	free(words);
	array_free(&arguments);
	return code;
}

int machine_record(const struct record_options *options,
		   const struct output_folder *folder)
{
	char recorder[PATH_MAX];
	char path[PATH_MAX];
	int code;
	int fd;

	if (!realpath(options->folder, path)) {
		say("%s: %s", options->folder, strerror(errno));
		return EXIT_MACHINE;
	}
	if (machine_find_recorder(options->arch, recorder))
		return EXIT_MACHINE;
	/* The descriptor is inherited; QEMU gets other files as the lowest
	 * numbers.
	 */
	fd = fcntl(folder->fd, F_DUPFD, FIRST_FD);
	if (fd < 0) {
		say("%s: %s", options->folder, strerror(errno));
		return EXIT_MACHINE;
	}
	code = run(options, recorder, path, fd);
	close(fd);
	return code;
}
