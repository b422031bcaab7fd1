/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_WRITE_AT_H
#define KT_COMMON_WRITE_AT_H

#include <stddef.h>
#include <stdint.h>

/* Writes all of @size bytes to @fd at @offset, in as many pieces as it takes.
 *
 * Returns 0, or -ERROR_SYSTEM with errno set.
 */
int write_at(int fd, const void *bytes, size_t size, uint64_t offset);

#endif
