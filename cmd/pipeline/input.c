/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/input.h"

#include "archive/unpack.h"
#include "common/error.h"
#include "common/log.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns "@folder/@name", which the caller frees, or NULL. */
static char *join(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

static bool is_of(const char *path, mode_t type)
{
	struct stat stat_of_path;

	return path && !stat(path, &stat_of_path) &&
	       (stat_of_path.st_mode & S_IFMT) == type;
}

/* Messages then show the archive's name as if it were the folder. */
static int unpack_input(struct input *input, const char *path,
			const struct log *log)
{
	const char *slash = strrchr(path, '/');
	struct output_folder folder = { 0 };
	int error = output_folder_temporary(&input->unpacked, log);

	if (!error)
		error = output_folder_sub(&folder, &input->unpacked,
					  slash ? slash + 1 : path, log);
	if (!error)
		error = unpack(path, &folder, log);
	if (!error)
		input->path = strdup(folder.path);
	output_folder_close(&folder);
	return error;
}

bool input_is_archive(const char *path)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };
	unsigned char bytes[4] = { 0 };
	FILE *file = is_of(path, S_IFREG) ? fopen(path, "re") : NULL;
	bool is_read = file && fread(bytes, 1, 4, file) == 4;

	if (file)
		fclose(file);
	return is_read && !memcmp(bytes, magic, sizeof(magic));
}

int input_open(struct input *input, const char *path, const struct log *log)
{
	int error = 0;

	*input = (struct input){ 0 };
	if (input_is_archive(path))
		error = unpack_input(input, path, log);
	else
		input->path = strdup(path);
	if (!error && input->path && output_folder_is_locked(input->path))
		log_message(log, LOG_WARNING, input->path, LOG_NO_OFFSET,
			    "is still being recorded: the output covers the "
			    "part written so far");
	if (error || !input->path) {
		input_close(input);
		return error ? error : -ERROR_MEMORY;
	}
	input->files = join(input->path, "files");
	if (!is_of(input->files, S_IFDIR)) {
		free(input->files);
		input->files = NULL;
	}
	return 0;
}

static bool is_same(const char *path, const char *other)
{
	struct stat a;
	struct stat b;

	return path && other && !stat(path, &a) && !stat(other, &b) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool is_at(const char *folder, const char *name, const char *other)
{
	char *path = join(folder, name);
	bool is = is_same(path, other);

	free(path);
	return is;
}

bool input_has(const char *path, const char *file)
{
	char *copy = is_of(file, S_IFREG) ? strdup(file) : NULL;
	const char *folder = copy ? dirname(copy) : NULL;
	bool has = copy && (is_same(path, file) || is_at(path, "data", file) ||
			    is_at(path, "trace.dat", file) ||
			    is_at(path, "kcore_dir", folder) ||
			    is_at(path, "code", folder));

	free(copy);
	return has;
}

void input_close(struct input *input)
{
	free(input->path);
	free(input->files);
	output_folder_discard(&input->unpacked);
	*input = (struct input){ 0 };
}
