/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_READ_AT_H
#define KT_COMMON_READ_AT_H

#include <stddef.h>
#include <stdint.h>

/* Reads all @size bytes at @offset of the file open as @fd, without changing
 * the file position. Returns 0, -ERROR_NOT_FOUND if the file is too short, or
 * -ERROR_SYSTEM.
 */
int read_at(int fd, void *buffer, size_t size, uint64_t offset);

#endif
