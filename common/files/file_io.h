/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_FILE_IO_H
#define KT_COMMON_FILES_FILE_IO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Reads all @size bytes at @offset of the file open as @fd, without changing
 * the file position. Returns 0, -ERROR_NOT_FOUND if the file is too short, or
 * -ERROR_SYSTEM.
 */
int read_at(int fd, void *buffer, size_t size, uint64_t offset);

/* Writes all of @size bytes to @fd at @offset, in as many pieces as it takes.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int write_at(int fd, const void *bytes, size_t size, uint64_t offset);

/* Flushes @out. Returns whether everything that was ever written to it is in
 * its file; otherwise sets errno, even if an earlier write failed.
 */
bool flush_written(FILE *out);

/* Like flush_written(), but also closes @out. */
bool close_written(FILE *out);

#endif
