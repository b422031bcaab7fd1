/* SPDX-License-Identifier: MIT */
/* Hard-links large files below the current folder that have the same name and
 * content: recordings' copies of one kernel.
 */
#include "tests/e2e/programs/program.h"

#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 1 << 20, READ_AT_ONCE = 1 << 16 };

/* The first file with a content, and its path. */
struct kept {
	struct kept *next;
	char *path;
	char *name;
	off_t size;
	ino_t inode;
};

static FILE *open_file(const char *path)
{
	FILE *file = fopen(path, "r");

	if (!file)
		fail(path);
	return file;
}

/* Reads files instead of mapping them: tmpfs fills holes that are accessed in a
 * mapping.
 */
static bool is_same_content(FILE *a, FILE *b)
{
	char of_a[READ_AT_ONCE], of_b[READ_AT_ONCE];
	size_t count;

	do {
		count = fread(of_a, 1, sizeof(of_a), a);
		if (fread(of_b, 1, sizeof(of_b), b) != count ||
		    memcmp(of_a, of_b, count))
			return false;
	} while (count);
	return !ferror(a) && !ferror(b);
}

static bool is_equal(const struct kept *kept, const struct kept *file)
{
	FILE *a, *b;
	bool is_same;

	if (kept->size != file->size || strcmp(kept->name, file->name) != 0)
		return false;
	a = open_file(kept->path);
	b = open_file(file->path);
	is_same = is_same_content(a, b);
	fclose(a);
	fclose(b);
	return is_same;
}

static const struct kept *find_inode(const struct kept *kept, ino_t inode)
{
	while (kept && kept->inode != inode)
		kept = kept->next;
	return kept;
}

static const struct kept *find_equal(const struct kept *kept,
				     const struct kept *file)
{
	while (kept && !is_equal(kept, file))
		kept = kept->next;
	return kept;
}

static void keep(struct kept **all, const struct kept *file)
{
	struct kept *kept = malloc(sizeof(*kept));

	if (!kept)
		fail("join_copies");
	*kept = *file;
	kept->path = strdup(file->path);
	kept->name = strdup(file->name);
	if (!kept->path || !kept->name)
		fail("join_copies");
	kept->next = *all;
	*all = kept;
}

static void join(struct kept **all, FTSENT *entry)
{
	const struct kept *equal;
	struct kept file = {
		.path = entry->fts_path,
		.name = entry->fts_name,
		.size = entry->fts_statp->st_size,
		.inode = entry->fts_statp->st_ino,
	};

	if (file.size < LARGE || find_inode(*all, file.inode))
		return;
	equal = find_equal(*all, &file);
	if (!equal) {
		keep(all, &file);
		return;
	}
	if (unlink(file.path) || link(equal->path, file.path))
		fail(file.path);
}

int main(void)
{
	char here[] = ".";
	char *const folders[] = { here, NULL };
	FTS *files =
		fts_open(folders, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
	struct kept *all = NULL;
	FTSENT *entry;

	if (!files)
		fail(".");
	while ((entry = fts_read(files))) {
		if (entry->fts_info == FTS_F)
			join(&all, entry);
	}
	fts_close(files);
	return EXIT_SUCCESS;
}
