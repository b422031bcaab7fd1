/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_BYTES_RECORDING_FILES_H
#define KT_COLLECTOR_BYTES_RECORDING_FILES_H

/* The files of a recording while they are written: files that grow by pieces,
 * the content of one call of append_file_add(), and its folder kcore_dir.
 *
 * 1. A file ends after a whole piece, even when the disk is full (struct
 *    append_file).
 * 2. All paths are below the recording's folder (common/files/output_folder.h).
 */

#include "common/files/output_folder.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

struct log;

/* A file that grows by whole pieces.
 *
 * When a write fails, this is logged once, the file is truncated to the end of
 * the last whole piece, and nothing more is appended.
 */
struct append_file {
	char *path;
	const struct log *log;
	int fd;
	int error;    /* -ERROR_SYSTEM after a failed write, else 0 */
	uint64_t end; /* where the next piece starts */
};

/* Creates the file @name of @folder.
 *
 * Returns 0; -ERROR_SYSTEM with the reason in @log; or -ERROR_MEMORY, which is
 * not logged; the file must be closed either way.
 */
int append_file_create(struct append_file *file,
		       const struct output_folder *folder, const char *name,
		       const struct log *log);

void append_file_close(struct append_file *file);

/* Appends @parts, @count of them, as one piece. Modifies @parts.
 *
 * Returns 0, or -ERROR_SYSTEM, even after an earlier failure. Logs the first
 * failure.
 */
int append_file_add(struct append_file *file, struct iovec *parts, int count);

/* Sets or clears O_DIRECT, which bypasses the page cache. While it is set,
 * pieces must have addresses, sizes and positions that are multiples of 4096.
 * If the file system refuses O_DIRECT, here or at the first write, the file is
 * written through the page cache.
 */
void append_file_set_direct(struct append_file *file, bool is_direct);

/* Writes @size bytes at @offset, which need not be at the end.
 *
 * Returns 0 or -ERROR_SYSTEM with errno set; does not log the error or set
 * file->error.
 */
int append_file_put(const struct append_file *file, const void *bytes,
		    size_t size, uint64_t offset);

/* Opens kcore_dir (docs/formats.md) of the recording @recording, and creates it
 * if it does not exist. Returns like output_folder_sub().
 */
int kcore_folder_open(struct output_folder *folder,
		      const struct output_folder *recording,
		      const struct log *log);

/* Writes the file @name in kcore_dir, like output_folder_write(). */
int kcore_folder_write(const struct output_folder *recording, const char *name,
		       void (*write)(FILE *out, const void *context),
		       const void *context, const struct log *log);

#endif
