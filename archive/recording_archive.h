/* SPDX-License-Identifier: MIT */
#ifndef KT_ARCHIVE_RECORDING_ARCHIVE_H
#define KT_ARCHIVE_RECORDING_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;

/* A recording as one file, with all that is needed to read it on another
 * machine:
 *
 *	data	the recording's records, then its other files
 *	files/	the files that its processes had mapped as code, and their
 *		separate debug files
 *
 * Copies of user stacks may have secrets, so by default all their words are
 * zeroed except addresses of code and of the stack, which unwinding needs.
 *
 * The recording may be from an untrusted source: of the files that it names on
 * this machine, only ELF files are added; links in the recording's folder are
 * not followed.
 */

/* The parts of a recording's archive, and their sources. */
struct recording_archive_options {
	const char *symfs;  /* root of the traced machine's files, or NULL */
	bool keeps_stacks;  /* keep stack copies whole, not only addresses */
	bool without_files; /* omit files of the traced programs */
};

/* Statistics of the archive. */
struct archive_result {
	uint64_t recording_bytes;
	uint64_t archive_bytes;
	size_t files;  /* of the traced programs, added below files/ */
	size_t stacks; /* stack copies in which words were zeroed */
};

/* Writes the recording @path, a folder or a file, to @fd. @name is the
 * archive's name in messages. Files of the traced programs are stored below
 * files/.
 *
 * Returns 0 and @result, or a negative enum error logged to @log.
 */
int recording_archive_write(const char *path, int fd, const char *name,
			    const struct recording_archive_options *options,
			    const struct log *log,
			    struct archive_result *result);

#endif
