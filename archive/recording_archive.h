/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_RECORDING_ARCHIVE_H
#define KT_ARCHIVE_RECORDING_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;

/* This is what goes into a recording's archive. */
struct recording_archive_options {
	const char *symfs;  /* where the traced machine's files are, or NULL */
	bool keeps_stacks;  /* else their copies keep addresses alone */
	bool without_files; /* of the traced programs */
};

/* This is what it has become. */
struct archive_result {
	uint64_t recording_bytes;
	uint64_t archive_bytes;
	size_t files;  /* of the traced programs */
	size_t stacks; /* whose words were left out */
};

/* Writes the recording @path, a folder or a file, to @fd as the archive @name.
 * Files of the traced programs are below files/ in it.
 *
 * Returns 0 and @result, or a negative enum error said to @log.
 */
int recording_archive_write(const char *path, int fd, const char *name,
			    const struct recording_archive_options *options,
			    const struct log *log,
			    struct archive_result *result);

#endif
