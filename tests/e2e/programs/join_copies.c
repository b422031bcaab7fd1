/* SPDX-License-Identifier: MIT */
/* Makes one file, by links, of those below the current folder that have the same
 * name and content and are large: recordings' copies of one kernel.
 */
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGE = 1 << 20 };

/* One of each content: what it is called, and the content. */
struct kept {
	struct kept *next;
	char *path;
	char *name;
	void *content;
	size_t size;
	ino_t inode;
};

static void fail(const char *what)
{
	perror(what);
	exit(EXIT_FAILURE);
}

static void *map_content(const char *path, size_t size)
{
	int fd = open(path, O_RDONLY);
	void *content = MAP_FAILED;

	if (fd >= 0)
		content = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (content == MAP_FAILED)
		fail(path);
	close(fd);
	return content;
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
	while (kept &&
	       (kept->size != file->size || strcmp(kept->name, file->name) ||
		memcmp(kept->content, file->content, file->size)))
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
		.size = (size_t)entry->fts_statp->st_size,
		.inode = entry->fts_statp->st_ino,
	};

	if (file.size < LARGE || find_inode(*all, file.inode))
		return;
	file.content = map_content(file.path, file.size);
	equal = find_equal(*all, &file);
	if (!equal) {
		keep(all, &file);
		return;
	}
	munmap(file.content, file.size);
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
