/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_VALUES_H
#define KT_CMD_RECORD_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct array;

/* Each function parses the value of one option and returns false if it is
 * invalid.
 */

/* "8M": a power of two from 64 KiB to 1 GiB; K, M and G are powers of 1024. */
bool record_value_size(const char *text, size_t *bytes);

/* "2G": size of a recording, 1 MiB or more. */
bool record_value_max(const char *text, uint64_t *bytes);

/* "8K": size of a stack, from 64 bytes to 60 KiB, a multiple of 8. */
bool record_value_stack(const char *text, uint32_t *bytes);

/* "16": cycles, from 1 to 4095. */
bool record_value_threshold(const char *text, uint32_t *cycles);

/* "12": 1 or more, up to a million. */
bool record_value_count(const char *text, uint64_t *count);

/* "1.5": more than 0 seconds, less than 30 years. */
bool record_value_seconds(const char *text, uint64_t *ns);

/* "12,345": appends them to @pids, an array of pid_t. */
bool record_value_pids(const char *text, struct array *pids);

#endif
