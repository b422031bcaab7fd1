/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_CLOSE_WRITTEN_H
#define KT_COMMON_CLOSE_WRITTEN_H

#include <stdbool.h>
#include <stdio.h>

/* Flushes @out. Returns whether all that was ever written to it is in its file;
 * otherwise sets errno, also for a write that failed earlier.
 */
bool flush_written(FILE *out);

/* Like flush_written(), and closes @out. */
bool close_written(FILE *out);

#endif
