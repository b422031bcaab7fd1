/* SPDX-License-Identifier: MIT */
#include "selftest/selftest.h"
#include "selftest/programs.h"

#include "archive/file_archive.h"
#include "archive/recording_archive.h"
#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/options/option_lists.h"
#include "common/array.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/files/output_file.h"
#include "common/files/output_folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command line. Strings point into argv. */
struct arguments {
	const char *output;  /* folder that will keep the recordings */
	const char *judged;  /* folder of recordings to judge */
	const char *report;  /* the archive to write */
	const char *trials;  /* NULL: all */
	const char *symfs;   /* for @judged */
	const char *program; /* run as this recorded program */
	bool with_recordings;
	bool with_hotplug;
	bool records_only;
};

static const struct own_option own_options[] = {
	{ "output", "DIR", NULL, 'o', TEXT(struct arguments, output) },
	{ "trial", "LIST", NULL, 0, TEXT(struct arguments, trials) },
	{ "judge", "DIR", NULL, 0, TEXT(struct arguments, judged) },
	{ "symfs", "DIR", NULL, 0, TEXT(struct arguments, symfs) },
	{ "report", "FILE", NULL, 0, TEXT(struct arguments, report) },
	{ "with-recordings", NULL, NULL, 0,
	  FLAG(struct arguments, with_recordings) },
	{ "hotplug", NULL, NULL, 0, FLAG(struct arguments, with_hotplug) },
	{ "record-only", NULL, NULL, 0, FLAG(struct arguments, records_only) },
	{ "program", "NAME", NULL, 0, TEXT(struct arguments, program) },
};

static const char usage[] =
	"usage: ktrace-hw selftest [OPTION]...\n\n"
	"Records small programs of known behaviour on this machine and checks\n"
	"the recordings by other evidence: the programs' own counts, the\n"
	"kernel's, the PMU, clocks, the second decoder, and perf.\n\n"
	"  -o, --output DIR   keep the recordings in DIR\n"
	"  --trial LIST       only these recordings: calls, user, cycles, returns,\n"
	"                     cpus, load, snapshot, filter, only, trigger, attach,\n"
	"                     hotplug\n"
	"  --record-only      only record, with -o: another machine may check\n"
	"  --judge DIR        check the recordings of an earlier --output\n"
	"  --symfs DIR        with --judge: find the programs' files below DIR\n"
	"  --report FILE      write an archive for a bug report: the table, CPU,\n"
	"                     kernel and trace unit; no addresses or names\n"
	"  --with-recordings  add the recordings to it, which have addresses and\n"
	"                     names of programs and functions\n"
	"  --hotplug          may switch a CPU off and on\n";

static int refuse(const char *text)
{
	say_of("selftest", "%s", text);
	return EXIT_USAGE + 1;
}

/* Returns 0 if all names of the list are trials (NULL: all), or the exit code
 * plus one.
 */
static int check_trials(const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ",");
		const char *name = "";
		size_t index = 0;

		while (selftest_trial(index++, &name))
			if (!strncmp(name, list, length) && !name[length])
				break;
		if (strncmp(name, list, length) != 0 || name[length]) {
			say_of("selftest", "--trial: no recording '%.*s'",
			       (int)length, list);
			return EXIT_USAGE + 1;
		}
		list += length + (list[length] == ',');
	}
	return 0;
}

/* Parses the command line. Returns 0 to continue, or the exit code plus one. */
static int read_arguments(struct arguments *arguments, int argc, char **argv)
{
	int status;

	*arguments = (struct arguments){ 0 };
	status = plain_options_read(OWN_LIST(own_options), usage, arguments,
				    argc, argv);
	if (status)
		return status;
	if (optind < argc)
		return refuse("it takes only options");
	if (arguments->output && arguments->judged)
		return refuse("give one of --output and --judge");
	status = check_trials(arguments->trials);
	if (status)
		return status;
	if (arguments->with_recordings && !arguments->report)
		return refuse("--with-recordings needs --report");
	if (arguments->records_only && !arguments->output)
		return refuse("--record-only needs --output");
	return 0;
}

/* The results so far. */
struct table {
	struct array rows; /* struct selftest_row */
	unsigned counts[SELFTEST_UNTRIED + 1];
	uint64_t start_ns;
	uint64_t end_ns;
};

static const char *const words[] = {
	[SELFTEST_PASS] = "pass",
	[SELFTEST_FAIL] = "FAIL",
	[SELFTEST_UNTRIED] = "not tried",
};

static void print_row(FILE *out, const struct selftest_row *row)
{
	fprintf(out, "%-18s %-10s %s\n", row->check, words[row->verdict],
		row->finding);
}

static void consume_row(const struct selftest_row *row, void *context)
{
	struct table *table = context;

	table->counts[row->verdict]++;
	print_row(stdout, row);
	fflush(stdout);
	array_append(&table->rows, row);
}

static void print_counts(FILE *out, const struct table *table)
{
	fprintf(out, "%u passed, %u failed, %u not tried, in %.1f s\n",
		table->counts[SELFTEST_PASS], table->counts[SELFTEST_FAIL],
		table->counts[SELFTEST_UNTRIED],
		(double)(table->end_ns - table->start_ns) / 1e9);
}

static void write_table(FILE *out, const void *context)
{
	const struct table *table = context;

	fputs("ktrace-hw " KTRACE_VERSION "\n\n", out);
	for (size_t i = 0; i < table->rows.count; i++)
		print_row(out, array_at(&table->rows, i));
	print_counts(out, table);
	fputc('\n', out);
	selftest_write_machine(out);
}

/* Makes an archive of each recording in the folder, beside it: NAME.ktrace. */
static void pack_recordings(const struct output_folder *folder)
{
	const struct recording_archive_options options = {
		.without_files = true,
	};
	struct dirent **entries;
	int count = scandir(folder->path, &entries, NULL, alphasort);

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		char path[PATH_MAX + 300], packed[300];
		struct archive_result result = { 0 };
		int fd = -1;

		snprintf(path, sizeof(path), "%s/%s", folder->path, name);
		snprintf(packed, sizeof(packed), "%s.ktrace", name);
		if (entries[i]->d_type == DT_DIR && *name != '.')
			fd = output_folder_replace(folder, packed);
		if (fd >= 0 &&
		    recording_archive_write(path, fd, packed, &options,
					    &console_log, &result))
			output_folder_remove(folder, packed);
		if (fd >= 0)
			close(fd);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

/* Returns whether the report contains a file: the table and the programs'
 * counts have no names or addresses; messages and recordings may have some.
 */
static bool is_reported(const struct dirent *entry, bool with_recordings)
{
	const char *kind = strrchr(entry->d_name, '.');

	return entry->d_type == DT_REG && kind &&
	       (with_recordings || !strcmp(kind, ".counts") ||
		!strcmp(kind, ".txt"));
}

/* Archives the files of the folder for which is_reported() to @fd. */
static int archive_files(const struct output_folder *folder, int fd,
			 const struct arguments *arguments)
{
	struct dirent **entries;
	int count = scandir(folder->path, &entries, NULL, alphasort);
	struct array files = ARRAY_OF(struct archived_file);
	int error;

	for (int i = 0; i < count; i++) {
		struct archived_file *file;
		char *path = NULL;

		if (!is_reported(entries[i], arguments->with_recordings) ||
		    asprintf(&path, "%s/%s", folder->path, entries[i]->d_name) <
			    0)
			continue;
		file = array_add(&files);
		if (file)
			*file = (struct archived_file){
				path, strrchr(path, '/') + 1
			};
		else
			free(path);
	}
	error = file_archive_write(fd, arguments->report, files.items,
				   files.count, &console_log);
	for (size_t i = 0; i < files.count; i++)
		free((char *)(uintptr_t)((struct archived_file *)array_at(
						 &files, i))
			     ->path);
	array_free(&files);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	if (count >= 0)
		free(entries);
	return error;
}

static int write_archive(const struct output_folder *folder,
			 const struct arguments *arguments,
			 const struct table *table)
{
	struct output_file *file = output_file_open(arguments->report);
	int error;

	if (!file)
		return written_fail(arguments->report);
	error = output_folder_write(folder, "selftest.txt", write_table, table,
				    &console_log);
	if (!error && arguments->with_recordings)
		pack_recordings(folder);
	if (!error)
		error = archive_files(folder, fileno(output_file_stream(file)),
				      arguments);
	if (!output_file_close(file, !error) && !error)
		return written_fail(arguments->report);
	return error ? EXIT_FAILED : EXIT_OK;
}

/* Opens the folder of the recordings. */
static int open_folder(const struct arguments *arguments,
		       struct output_folder *folder)
{
	int error;

	if (arguments->judged)
		error = output_folder_open(folder, arguments->judged,
					   &console_log);
	else if (arguments->output)
		error = output_folder_make(folder, arguments->output,
					   &console_log);
	else
		error = output_folder_temporary(folder, &console_log);
	if (error == -ERROR_NOT_FOUND)
		say_of("selftest", "%s: no such folder", arguments->judged);
	return error;
}

static int run_checks(const struct arguments *arguments,
		      const struct output_folder *folder)
{
	char program[PATH_MAX] = "";
	const struct selftest_options options = {
		.program = program,
		.folder = folder,
		.trials = arguments->trials,
		.symfs = arguments->symfs,
		.judges_only = arguments->judged,
		.with_hotplug = arguments->with_hotplug,
		.records_only = arguments->records_only,
	};
	struct table table = { .rows = ARRAY_OF(struct selftest_row),
			       .start_ns = monotonic_ns() };
	int code = EXIT_OK;

	if (readlink("/proc/self/exe", program, sizeof(program) - 1) < 0) {
		say_of("selftest", "/proc/self/exe: %s", strerror(errno));
		return EXIT_FAILED;
	}
	selftest_run(&options, consume_row, &table);
	table.end_ns = monotonic_ns();
	print_counts(stdout, &table);
	if (arguments->report)
		code = write_archive(folder, arguments, &table);
	array_free(&table.rows);
	return table.counts[SELFTEST_FAIL] ? EXIT_FAILED : code;
}

static int run_selftest(int argc, char **argv)
{
	struct arguments arguments;
	struct output_folder folder;
	int status = read_arguments(&arguments, argc, argv);

	if (status)
		return status - 1;
	if (arguments.program)
		return selftest_program(arguments.program);
	if (open_folder(&arguments, &folder))
		return EXIT_FAILED;
	status = run_checks(&arguments, &folder);
	if (arguments.output || arguments.judged)
		output_folder_close(&folder);
	else
		output_folder_discard(&folder);
	return status;
}

const struct command selftest_command = {
	.name = "selftest",
	.summary = "check on this machine that recordings are true",
	.run = run_selftest,
};
