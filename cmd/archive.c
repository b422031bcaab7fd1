/* SPDX-License-Identifier: MIT */
#include "archive/recording_archive.h"
#include "archive/unpack.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "cmd/pipeline/debuginfod_consent.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"

#include "common/bytes.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command line of `ktrace-hw archive`. Strings point into argv. */
struct archive_options {
	const char *input;    /* NULL: the last recording made here */
	const char *output;   /* NULL: named after the input */
	const char *symfs;    /* NULL: this machine's files */
	const char *unpacked; /* archive to unpack; NULL: make one */
	bool keeps_stacks;
	bool without_files;
	bool joins; /* write a recording that perf reads, no archive */
};

static const struct own_option own_options[] = {
	{ "input", "DIR", NULL, 'i', TEXT(struct archive_options, input) },
	{ "output", "FILE", NULL, 'o', TEXT(struct archive_options, output) },
	{ "unpack", "FILE", NULL, 0, TEXT(struct archive_options, unpacked) },
	{ "keep-stacks", NULL, NULL, 0,
	  FLAG(struct archive_options, keeps_stacks) },
	{ "no-files", NULL, NULL, 0,
	  FLAG(struct archive_options, without_files) },
	{ "symfs", "DIR", NULL, 0, TEXT(struct archive_options, symfs) },
	{ "join", NULL, NULL, 0, FLAG(struct archive_options, joins) },
};

static const char usage[] =
	"usage: ktrace-hw archive [OPTION]... [DIR]\n"
	"       ktrace-hw archive --unpack FILE [-o DIR]\n"
	"       ktrace-hw archive --join -o DIR [-i DIR]\n"
	"\n"
	"Packs a recording and the files of the traced programs into one file,\n"
	"which all commands read (-i FILE) and tar(1) unpacks.\n"
	"\n"
	"  -i, --input DIR    the recording (default: the last one here)\n"
	"  -o, --output FILE  the archive (default: named after the recording)\n"
	"  --keep-stacks      keep whole copies of user stacks; otherwise only the\n"
	"                     addresses in them, as the other data may be secret\n"
	"  --no-files         leave out the files of the traced programs\n"
	"  --symfs DIR        find these files below DIR\n"
	"  --unpack FILE      unpack an archive to a recording\n"
	"  --join             copy a recording of --threads or --compress to one\n"
	"                     whose trace perf reads\n";

/* Parses the command line. Returns 0 to continue, or the exit code plus one. */
static int archive_options_read(struct archive_options *options, int argc,
				char **argv)
{
	int status;

	*options = (struct archive_options){ 0 };
	status = plain_options_read(OWN_LIST(own_options), usage, options, argc,
				    argv);
	if (status)
		return status;
	if (optind < argc && !options->input && !options->unpacked)
		options->input = argv[optind++];
	if (optind < argc)
		say_of("archive", "'%s': give one recording", argv[optind]);
	else if (options->joins && options->unpacked)
		say_of("archive", "give one of --join and --unpack");
	else if (options->joins && !options->output)
		say_of("archive", "--join: name the new recording with -o");
	else
		return 0;
	return EXIT_USAGE + 1;
}

static int fail(const char *path, const char *reason)
{
	say_of("archive", "%s: %s", path, reason);
	return EXIT_FAILED;
}

static void print_result(const char *path, const struct archive_result *result)
{
	uint64_t whole = result->recording_bytes ? result->recording_bytes : 1;

	note_of("archive",
		"%s: %" PRIu64 " KiB, %" PRIu64 " %% of %" PRIu64 " KiB", path,
		result->archive_bytes >> 10,
		result->archive_bytes * 100 / whole, whole >> 10);
	if (result->files)
		note_of("archive", "with %zu files of the traced programs",
			result->files);
	if (result->stacks)
		note_of("archive",
			"%zu copies of user stacks were reduced to the "
			"addresses in them (--keep-stacks keeps all)",
			result->stacks);
}

static int fail_existing(const char *output)
{
	return fail(output, "exists already: choose another with -o");
}

/* Archives @input to @fd. Returns 0 or a negative enum error, which was logged.
 */
static int pack(const struct archive_options *options, const char *input,
		int fd, const char *name, struct archive_result *result)
{
	const struct recording_archive_options what = {
		.symfs = options->symfs,
		.keeps_stacks = options->keeps_stacks || options->joins,
		.without_files = options->without_files || options->joins,
	};

	debuginfod_consent(false);
	return recording_archive_write(input, fd, name, &what, &console_log,
				       result);
}

static int write_archive(const struct archive_options *options,
			 const char *input, const char *output)
{
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
	error = pack(options, input, file.fd, output, &result);
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

/* Returns the archive's default name, which the caller frees: "ktrace.data"
 * becomes "ktrace.ktrace" in the same folder.
 */
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

/* Unpacks the archive @path, which messages call @name, to a new folder. */
static int unpack_to(const char *folder, const char *path, const char *name)
{
	struct output_folder unpacked = { 0 };
	int error;

	if (output_folder_make(&unpacked, folder, &console_log))
		return EXIT_FAILED;
	error = unpack(path, &unpacked, &console_log);
	/* A part of a recording could be taken for all of it. */
	if (error)
		output_folder_discard(&unpacked);
	else
		output_folder_close(&unpacked);
	if (error)
		return fail(name, error_text(error));
	note_of("archive", "%s: unpacked", folder);
	return EXIT_OK;
}

/* Copies @input to the output, with its trace in one file, as archives have it.
 */
static int join(const struct archive_options *options, const char *input)
{
	struct archive_result result = { 0 };
	char path[64];
	int fd = output_temporary_file(&console_log);
	int code = EXIT_FAILED;

	if (fd < 0)
		return EXIT_FAILED;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!pack(options, input, fd, input, &result))
		code = unpack_to(options->output, path, input);
	close(fd);
	return code;
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
	else if (options->joins)
		code = join(options, input);
	else
		code = write_archive(options, input, output);
	free(found);
	free(name);
	return code;
}

/* Returns the default folder, which the caller frees: "ktrace.ktrace" becomes
 * "ktrace.data" in the current folder.
 */
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
	int code = folder ? unpack_to(folder, options->unpacked,
				      options->unpacked) :
			    fail(options->unpacked, "out of memory");

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
