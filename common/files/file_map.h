/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_FILE_MAP_H
#define KT_COMMON_FILES_FILE_MAP_H

/* Files and large memory as pages: read-only mappings of whole files, and
 * memory that grows without being copied. Readers of recordings use them so
 * that memory depends on the pages that are used at a time, not on a file's
 * size.
 *
 * 1. A mapping is constant and may be shared by threads. If another process
 *    cuts the file, an access to the lost pages is SIGBUS (file_signals.h).
 * 2. pages_release() gives pages back. It may be called at any time for a
 *    mapped file, whose pages are loaded again when they are read; other memory
 *    loses its content.
 * 3. Zeroed structs are empty, and may be closed.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct log;

/* Memory of any size that grows without being copied: its pages are remapped.
 * All zero: none. The owner frees it with pages_free().
 */
struct pages {
	void *memory;
	size_t size;
};

/* Grows @pages to @size bytes, which must be more than its present size; new
 * bytes are zero. Returns false when out of memory; @pages is then unchanged.
 */
bool pages_grow(struct pages *pages, size_t size);

void pages_free(struct pages *pages);

/* Returns the whole pages of @bytes from @from up to @to to the system. Pages
 * of a mapped file are loaded again when accessed, without private changes;
 * other memory becomes zero.
 *
 * Returns @from for the next call: the start of the page that contains @to,
 * which is not released.
 */
size_t pages_release(const uint8_t *bytes, size_t from, size_t to);

/* A whole file mapped into memory, read-only; pages are loaded when accessed.
 */
struct file_map {
	const uint8_t *bytes; /* NULL for an empty file */
	size_t size;
};

/* Maps @path. Returns 0, -ERROR_NOT_FOUND or -ERROR_SYSTEM with the cause
 * logged to @log.
 */
int file_map_open(struct file_map *map, const char *path,
		  const struct log *log);

/* Like file_map_open(), but leaves the file open as *@fd, for the caller to
 * close; -1 on error.
 */
int file_map_open_kept(struct file_map *map, const char *path,
		       const struct log *log, int *fd);

/* Like file_map_open(), for the file @name of @folder, if it is below that
 * folder.
 */
int file_map_open_beneath(struct file_map *map, const char *folder,
			  const char *name, const struct log *log);

/* Maps the file open as @fd, which may be closed afterwards. Returns 0, or
 * -ERROR_SYSTEM with errno (EINVAL: not a regular file); logs nothing.
 */
int file_map_open_fd(struct file_map *map, int fd);

/* Unmaps the file. A zeroed map counts as closed. */
void file_map_close(struct file_map *map);

/* Opens an unnamed, empty file for writing and mapping, in $TMPDIR or else
 * /var/tmp: on disk, for data that may exceed memory.
 *
 * Returns the descriptor, or -ERROR_SYSTEM.
 */
int file_map_temporary(const struct log *log);

/* Writes all of @bytes to @fd.
 *
 * Returns 0, or -ERROR_SYSTEM with errno.
 */
int file_map_put(int fd, const uint8_t *bytes, size_t size);

/* Like file_map_put(), for a temporary file: logs an error. */
int file_map_append(int fd, const uint8_t *bytes, size_t size,
		    const struct log *log);

#endif
