/* SPDX-License-Identifier: MIT */
#include "decoder/recording/kept_programs.h"

#include "common/array.h"
#include "common/budget.h"
#include "common/program_key.h"
#include "decoder/recording/sideband.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct kept_program {
	struct program_key key;
	char *path;
};

struct kept_programs {
	struct array files; /* struct kept_program, by key */
};

/* Returns a text with the path @folder/@name, NULL if it is too long or when out
 * of memory.
 */
static char *join(const char *folder, const char *name)
{
	char path[PATH_MAX];
	int length = snprintf(path, sizeof(path), "%s/%s", folder, name);

	return length < 0 || (size_t)length >= sizeof(path) ? NULL :
							      strdup(path);
}

static bool is_file(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISREG(stat.st_mode);
}

static bool is_folder(const char *path)
{
	struct stat stat;

	return !lstat(path, &stat) && S_ISDIR(stat.st_mode);
}

/* Returns the path of the first regular file in @folder, or NULL. */
static char *first_file(const char *folder)
{
	DIR *listing = opendir(folder);
	char *found = NULL;
	struct dirent *entry;

	while (listing && !found && (entry = readdir(listing))) {
		found = join(folder, entry->d_name);
		if (found && !is_file(found)) {
			free(found);
			found = NULL;
		}
	}
	if (listing)
		closedir(listing);
	return found;
}

/* Adds the file in the folder @key of @root. Returns 0, also if there is none,
 * or -ERROR_MEMORY.
 */
static int add(struct kept_programs *programs, const char *root,
	       const char *key)
{
	struct kept_program program = { .path = NULL };
	char *folder;
	int status = 0;

	if (*key == '.' || strlen(key) >= sizeof(program.key.text))
		return 0;
	strcpy(program.key.text, key);
	folder = join(root, key);
	if (folder && is_folder(folder))
		program.path = first_file(folder);
	if (program.path)
		status = array_append(&programs->files, &program);
	if (status)
		free(program.path);
	free(folder);
	return status;
}

static int compare_key(const void *a, const void *b)
{
	const struct kept_program *x = a;
	const struct kept_program *y = b;

	return strcmp(x->key.text, y->key.text);
}

static int list(struct kept_programs *programs, const char *root)
{
	DIR *listing = opendir(root);
	struct dirent *entry;
	int status = 0;

	while (listing && !status &&
	       programs->files.count < BUDGET_KEPT_PROGRAMS &&
	       (entry = readdir(listing)))
		status = add(programs, root, entry->d_name);
	if (listing)
		closedir(listing);
	array_sort(&programs->files, compare_key);
	return status;
}

struct kept_programs *kept_programs_new(const char *recording)
{
	struct kept_programs *programs = calloc(1, sizeof(*programs));
	char *root = join(recording, "programs");
	char absolute[PATH_MAX];
	int status = 0;

	if (programs)
		programs->files = ARRAY_OF(struct kept_program);
	if (programs && root && is_folder(root) && realpath(root, absolute))
		status = list(programs, absolute);
	free(root);
	if (!status)
		return programs;
	kept_programs_free(programs);
	return NULL;
}

void kept_programs_free(struct kept_programs *programs)
{
	if (!programs)
		return;
	for (size_t i = 0; i < programs->files.count; i++) {
		struct kept_program *program = array_at(&programs->files, i);

		free(program->path);
	}
	array_free(&programs->files);
	free(programs);
}

const char *kept_programs_find(const struct kept_programs *programs,
			       const struct sideband_mmap *map)
{
	struct kept_program wanted = { .path = NULL };
	const struct kept_program *found;

	if (!programs->files.count)
		return NULL;
	if (map->build_id)
		wanted.key =
			program_key_of_id(map->build_id, map->build_id_size);
	else if (map->inode)
		wanted.key = program_key_of_inode(map->inode);
	found = bsearch(&wanted, programs->files.items, programs->files.count,
			sizeof(wanted), compare_key);
	return found ? found->path : NULL;
}
