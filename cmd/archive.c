/* SPDX-License-Identifier: MIT */
#include "cmd/command.h"
#include "cmd/console/console_log.h"
#include "cmd/console/say.h"
#include "cmd/options/archive_options.h"
#include "cmd/pipeline/input.h"
#include "cmd/pipeline/session.h"

#include "archive/recording_archive.h"
#include "archive/unpack.h"
#include "common/error.h"
#include "common/output_file.h"
#include "common/output_folder.h"
#include "common/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *path, const char *reason)
{
	say_of("archive", "%s: %s", path, reason);
	return EXIT_FAILED;
}

static void print_result(const char *path, const struct archive_result *result)
{
	uint64_t whole = result->recording_bytes ? result->recording_bytes : 1;

	say_of("archive",
	       "%s: %" PRIu64 " KiB, %" PRIu64 " %% of %" PRIu64 " KiB", path,
	       result->archive_bytes >> 10, result->archive_bytes * 100 / whole,
	       whole >> 10);
	if (result->files)
		say_of("archive", "with %zu files of the traced programs",
		       result->files);
	if (result->stacks)
		say_of("archive",
		       "%zu copies of user stacks were reduced to the "
		       "addresses in them (--keep-stacks keeps all)",
		       result->stacks);
}

static int fail_existing(const char *output)
{
	return fail(output, "exists already: choose another with -o");
}

static int write_archive(const struct archive_options *options,
			 const char *input, const char *output)
{
	const struct recording_archive_options what = {
		.symfs = options->symfs,
		.keeps_stacks = options->keeps_stacks,
		.without_files = options->without_files,
	};
	struct archive_result result = { 0 };
	struct new_file file;
	struct stat other;
	int error = 0;
	int code;

	if (lstat(output, &other) == 0)
		return fail_existing(output);
	if (!new_file_open(&file, output, 0600)) {
		code = fail(output, regular_file_error(errno));
		new_file_close(&file);
		return code;
	}
	error = recording_archive_write(input, file.fd, output, &what,
					&console_log, &result);
	if (error)
		code = fail(output, error_text(error));
	else if (new_file_finish_first(&file))
		code = EXIT_OK;
	else
		code = errno == EEXIST ? fail_existing(output) :
					 fail(output, strerror(errno));
	new_file_close(&file);
	if (!code)
		print_result(output, &result);
	return code;
}

/* "ktrace.data" becomes "ktrace.ktrace" in the same folder. */
static char *default_output(const char *input)
{
	size_t length = strlen(input);
	char *name;

	while (length > 1 && input[length - 1] == '/')
		length--;
	if (length > 5 && !strncmp(input + length - 5, ".data", 5))
		length -= 5;
	return asprintf(&name, "%.*s.ktrace", (int)length, input) < 0 ? NULL :
									name;
}

static int make_archive(const struct archive_options *options)
{
	char *found = options->input ? NULL : find_last_recording();
	const char *input = options->input ? options->input : found;
	char *name = input && !options->output ? default_output(input) : NULL;
	const char *output = options->output ? options->output : name;
	int code;

	if (!input)
		code = fail(".", "no recording in this directory; name one "
				 "with -i DIR");
	else if (!output)
		code = fail(input, "out of memory");
	else if (input_is_archive(input))
		code = fail(input, "is already an archive");
	else
		code = write_archive(options, input, output);
	free(found);
	free(name);
	return code;
}

/* "ktrace.ktrace" becomes "ktrace.data" in the current folder. */
static char *default_folder(const char *archive)
{
	const char *slash = strrchr(archive, '/');
	const char *name = slash ? slash + 1 : archive;
	const char *end = strstr(name, ".ktrace");
	char *folder;

	return asprintf(&folder, "%.*s.data",
			(int)(end ? end - name : (long)strlen(name)),
			name) < 0 ?
		       NULL :
		       folder;
}

static int unpack_archive(const struct archive_options *options)
{
	char *name = options->output ? NULL : default_folder(options->unpacked);
	const char *folder = options->output ? options->output : name;
	struct output_folder unpacked = { 0 };
	int error = -ERROR_MEMORY;
	int code = EXIT_OK;

	if (folder && output_folder_make(&unpacked, folder, &console_log)) {
		free(name);
		return EXIT_FAILED;
	}
	if (folder)
		error = unpack(options->unpacked, &unpacked, &console_log);
	/* A part of a recording could be taken for all of it. */
	if (folder && error)
		output_folder_discard(&unpacked);
	else
		output_folder_close(&unpacked);
	if (error)
		code = fail(options->unpacked, error_text(error));
	else
		say_of("archive", "%s: unpacked", folder);
	free(name);
	return code;
}

static int run_archive(int argc, char **argv)
{
	struct archive_options options;
	int status = archive_options_read(&options, argc, argv) - 1;

	if (status >= 0)
		return status;
	return options.unpacked ? unpack_archive(&options) :
				  make_archive(&options);
}

const struct command archive_command = {
	.name = "archive",
	.summary = "pack a recording into one file",
	.run = run_archive,
};
