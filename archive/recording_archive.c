/* SPDX-License-Identifier: MIT */
#include "archive/recording_archive.h"

#include "archive/archive_writer.h"
#include "archive/program_files.h"
#include "archive/stack_words.h"
#include "archive/tar_header.h"
#include "common/error.h"
#include "common/log.h"
#include "common/regular_file.h"
#include "decoder/recording/recording.h"
#include "decoder/recording_open.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct packing {
	const struct recording_archive_options *options;
	const struct log *log;
	struct recording *recording;
	struct seekable_writer writer;
	struct archive_result *result;
};

/* Returns a private mapping of the file open as @fd, of @size bytes. */
static uint8_t *own_copy(int fd, size_t size)
{
	void *bytes =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	return bytes == MAP_FAILED ? NULL : bytes;
}

static int add_without_stacks(struct packing *packing, int fd,
			      const struct stat *stat, const char *name)
{
	struct tar_header header = {
		.type = TAR_FILE,
		.mode = stat->st_mode & 0777,
		.size = (uint64_t)stat->st_size,
		.changed = stat->st_mtim,
	};
	uint8_t *bytes = own_copy(fd, header.size);
	int error;

	if (!bytes) {
		log_message(packing->log, LOG_ERROR, name, LOG_NO_OFFSET,
			    "cannot be read: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	error = stack_words_keep(packing->recording, bytes, header.size,
				 &packing->result->stacks);
	if (error == -ERROR_UNSUPPORTED)
		log_message(packing->log, LOG_ERROR, name, LOG_NO_OFFSET,
			    "stacks in compressed records cannot be left out: "
			    "--keep-stacks keeps them");
	snprintf(header.name, sizeof(header.name), "%s", name);
	if (!error)
		error = archive_add_bytes(&packing->writer, &header, bytes);
	munmap(bytes, header.size);
	return error;
}

/* Adds the file with the records, under its name in recording folders. */
static int add_data(struct packing *packing)
{
	const char *path = recording_data_path(packing->recording);
	int fd = regular_file_open(path);
	struct stat stat;
	int error = -ERROR_SYSTEM;

	if (fd < 0 || fstat(fd, &stat) < 0)
		log_message(packing->log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be read: %s", regular_file_error(errno));
	else if (packing->options->keeps_stacks || !stat.st_size)
		error = archive_add_file(&packing->writer, path, "data");
	else
		error = add_without_stacks(packing, fd, &stat, "data");
	if (fd >= 0)
		close(fd);
	if (!error)
		packing->result->recording_bytes += (uint64_t)stat.st_size;
	return error;
}

static int add_entry(struct packing *packing, const FTSENT *entry,
		     const char *name)
{
	struct tar_header header = {
		.type = TAR_FOLDER,
		.mode = entry->fts_statp->st_mode & 0777,
		.changed = entry->fts_statp->st_mtim,
	};

	snprintf(header.name, sizeof(header.name), "%s", name);
	if (entry->fts_info == FTS_D)
		return archive_add_folder(&packing->writer, &header);
	if (entry->fts_info == FTS_SL)
		log_message(packing->log, LOG_WARNING, entry->fts_path,
			    LOG_NO_OFFSET,
			    "left out: a link, which may lead to any file");
	if (entry->fts_info != FTS_F)
		return 0;
	packing->result->recording_bytes += (uint64_t)entry->fts_statp->st_size;
	return archive_add_file(&packing->writer, entry->fts_path, name);
}

static int compare_entry(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Returns whether the file or folder @name of the recording is left out: the
 * data, which is added by add_data(), and copies of programs' files if the
 * user wants none in the archive.
 */
static bool is_left_out(const struct packing *packing, const char *name)
{
	static const char programs[] = "programs";
	const size_t length = sizeof(programs) - 1;

	if (!strcmp(name, "data"))
		return true;
	return packing->options->without_files &&
	       !strncmp(name, programs, length) &&
	       (!name[length] || name[length] == '/');
}

/* Adds all other files of the folder @path. Does not follow links in it: in
 * another user's recording they could lead to files of the user who packs it.
 */
static int add_folder(struct packing *packing, const char *path)
{
	char *copy = strdup(path);
	char *const roots[] = { copy, NULL };
	FTS *tree = copy ? fts_open(roots,
				    FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR,
				    compare_entry) :
			   NULL;
	FTSENT *entry;
	int error = tree ? 0 : -ERROR_MEMORY;

	while (!error && (entry = fts_read(tree))) {
		const char *name = entry->fts_path + entry->fts_pathlen;

		/* The part after the root, which may end with a slash. */
		for (short level = entry->fts_level; level > 0; level--)
			do
				name--;
			while (name > entry->fts_path && name[-1] != '/');
		if (entry->fts_level > 0 && !is_left_out(packing, name))
			error = add_entry(packing, entry, name);
	}
	if (tree)
		fts_close(tree);
	free(copy);
	return error;
}

static int add_programs(struct packing *packing)
{
	struct array files;
	int error = program_files_find(packing->recording, &files);

	for (size_t i = 0; i < files.count && !error; i++) {
		const struct program_file *file = array_at(&files, i);
		char name[PATH_MAX];

		if (snprintf(name, sizeof(name), "files%s", file->name) >=
		    PATH_MAX)
			continue;
		error = archive_add_file(&packing->writer, file->path, name);
		packing->result->files++;
	}
	program_files_free(&files);
	return error;
}

static bool is_folder(const char *path, const char *below)
{
	char name[PATH_MAX];
	struct stat stat_of_name;

	snprintf(name, sizeof(name), "%s%s", path, below);
	return !stat(name, &stat_of_name) && S_ISDIR(stat_of_name.st_mode);
}

static int pack(struct packing *packing, const char *path)
{
	bool has_programs = is_folder(path, "/files") ||
			    packing->options->without_files ||
			    !recording_names_user(packing->recording);
	int error = add_data(packing);

	if (!error && is_folder(path, ""))
		error = add_folder(packing, path);
	if (!error && !has_programs)
		error = add_programs(packing);
	if (!error)
		error = archive_finish(&packing->writer);
	packing->result->archive_bytes = packing->writer.written;
	return error;
}

int recording_archive_write(const char *path, int fd, const char *name,
			    const struct recording_archive_options *options,
			    const struct log *log,
			    struct archive_result *result)
{
	struct packing packing = {
		.options = options,
		.log = log,
		.result = result,
	};
	int error = recording_open(path, log, &packing.recording);

	if (error)
		return error;
	recording_set_root(packing.recording, options->symfs);
	error = seekable_writer_open(&packing.writer, fd, name, log);
	if (!error)
		error = pack(&packing, path);
	seekable_writer_free(&packing.writer);
	recording_close(packing.recording);
	return error;
}
