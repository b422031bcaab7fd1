/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILE_MAP_H
#define KT_COMMON_FILE_MAP_H

#include <stddef.h>
#include <stdint.h>

struct log;

/* A whole file in memory, read-only, its pages fetched when touched. */
struct file_map {
	const uint8_t *bytes; /* NULL for an empty file */
	size_t size;
};

/* Maps @path.  Returns 0, -ERROR_NOT_FOUND or -ERROR_SYSTEM with the cause
 * said to @log.
 */
int file_map_open(struct file_map *map, const char *path,
		  const struct log *log);

/* The same, the file staying open as *@fd, for the caller to close; -1 if there
 * was an error.
 */
int file_map_open_kept(struct file_map *map, const char *path,
		       const struct log *log, int *fd);

/* As file_map_open(), with the file @name of @folder, if it lies below that. */
int file_map_open_beneath(struct file_map *map, const char *folder,
			  const char *name, const struct log *log);

/* Maps the file open as @fd, which may be closed afterwards. */
int file_map_open_fd(struct file_map *map, int fd);

/* A map that is all zero is closed. */
void file_map_close(struct file_map *map);

/* Opens an unnamed, empty file to be written and mapped, in $TMPDIR or else
 * /var/tmp: on disk, for what would be too large for memory.
 *
 * Returns the descriptor, or -ERROR_SYSTEM.
 */
int file_map_temporary(const struct log *log);

/* Writes all of @bytes to @fd.  Returns 0 or -ERROR_SYSTEM (disk full). */
int file_map_append(int fd, const uint8_t *bytes, size_t size,
		    const struct log *log);

#endif
