/* SPDX-License-Identifier: MIT */
#include "cmd/record/record_folder.h"

#include "cmd/console/console.h"
#include "common/error.h"
#include "common/files/output_folder.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Limit of attempts. Each attempt fails only if another process created or
 * moved a folder of the same name meanwhile.
 */
enum { TRIES = 100 };

void record_folder_remove(const struct output_folder *folder)
{
	/* The recording, and files that reports cache beside it. */
	static const char *const names[] = { "data", "index",	"state_index",
					     "view", "symbols", "trace.dat" };
	/* The trace of CPUs that had files of their own; pages of
	 * function_graph that were not copied to trace.dat; rows cached by
	 * queries and reports; and unfinished cache files.
	 */
	static const char *const prefixes[] = { "data.",  "trace.cpu",
						"rows_",  "report_",
						"index.", "state_index.",
						"view.",  "symbols." };

	output_folder_remove_sub(folder, "kcore_dir", 0);
	output_folder_remove_sub(folder, "code", 0);
	output_folder_remove_sub(folder, "programs", 1);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		output_folder_remove_files(folder, prefixes[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		output_folder_remove(folder, names[i]);
	output_folder_remove_empty(folder);
}

static int complain(const char *path, const char *reason)
{
	say_of("record", "%s: %s", path, reason);
	return -1;
}

/* Returns whether the folder has only the leftovers of a recorder that was
 * killed early: a copy of the kernel without data. They must not replace an
 * older recording.
 */
static bool is_stub(const struct output_folder *folder)
{
	return !output_folder_has(folder, "data") &&
	       output_folder_has(folder, "kcore_dir");
}

/* Removes the older recording @name beside @folder. */
static int remove_old(const struct output_folder *folder, const char *name)
{
	struct output_folder old;
	int error = output_folder_beside(&old, folder, name, &console_log);

	if (error == -ERROR_NOT_FOUND)
		return 0;
	if (!error)
		error = output_folder_lock(&old, &console_log);
	if (!error && output_folder_has(&old, "data"))
		record_folder_remove(&old);
	output_folder_close(&old);
	return error ? -1 : 0;
}

/* Renames the recording to @old in the same folder. */
static int move(struct output_folder *folder, const char *old)
{
	if (!output_folder_move(folder, old))
		return 0;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return complain(folder->path, strerror(errno));
	say_of("record",
	       "%s: cannot be renamed to %s, which contains other files than a "
	       "recording's; move that away, or choose another directory with "
	       "-o",
	       folder->path, old);
	return -1;
}

/* Renames the recording to NAME.old. */
static int move_away(struct output_folder *folder)
{
	char *name;
	int status = -1;

	if (asprintf(&name, "%s.old", folder->name) < 0)
		return complain(folder->path, "out of memory");
	if (!remove_old(folder, name))
		status = move(folder, name);
	free(name);
	return status;
}

/* Makes sure that the folder is empty. Returns 0; 1 if the folder was renamed,
 * so that another one is needed; or -1 after a message.
 */
static int empty(struct output_folder *folder)
{
	if (is_stub(folder))
		record_folder_remove(folder);
	if (!output_folder_is_in_place(folder))
		return 1;
	if (output_folder_is_empty(folder))
		return 0;
	if (!output_folder_has(folder, "data"))
		return complain(folder->path,
				"exists and is not a recording; choose another "
				"directory with -o");
	return move_away(folder) ? -1 : 1;
}

/* Opens the folder, or creates it. Returns 0, 1 to try again, or -1. */
static int try_make(struct output_folder *folder, const char *path)
{
	int error = output_folder_open(folder, path, &console_log);
	bool is_new = error == -ERROR_NOT_FOUND;
	int status;

	if (is_new)
		error = output_folder_make(folder, path, NULL);
	if (is_new && error && errno == EEXIST)
		return 1;
	if (is_new && error)
		return complain(path, strerror(errno));
	if (error)
		return -1;
	status = output_folder_lock(folder, &console_log) ? -1 : empty(folder);
	if (status)
		output_folder_close(folder);
	return status;
}

int record_folder_make(struct output_folder *folder, const char *path)
{
	int status = 1;

	for (int i = 0; i < TRIES && status > 0; i++)
		status = try_make(folder, path);
	return status > 0 ? complain(path, "other processes keep creating and "
					   "renaming it") :
			    status;
}

int record_folder_check(const struct output_folder *folder)
{
	if (output_folder_is_in_place(folder))
		return 0;
	return complain(folder->path, "was renamed, replaced or removed during "
				      "the recording: the recording is not "
				      "there");
}
