/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_VALUES_H
#define KT_CMD_RECORD_VALUES_H

#include "cmd/options/option_lists.h"

/* Readers of options' values (option_lists.h). Each comment has the type of the
 * member, an example, and the valid values.
 */

/* size_t, "8M": a power of two from 64 KiB to 1 GiB; K, M and G are powers of
 * 1024.
 */
option_reader record_value_size;

/* uint64_t, "2G": size of a recording, 1 MiB or more. */
option_reader record_value_max;

/* uint32_t, "8K": size of a stack, from 64 bytes to 60 KiB, a multiple of 8;
 * NULL is the default.
 */
option_reader record_value_stack;

/* uint32_t, "16": cycles, from 1 to 4095. */
option_reader record_value_threshold;

/* uint64_t, "12": 1 or more, up to a million. */
option_reader record_value_count;

/* uint64_t, "1.5": more than 0 seconds, less than 30 years, in ns. */
option_reader record_value_seconds;

/* An array of pid_t, "12,345": appends them. */
option_reader record_value_pids;

/* const char *: the architecture of the virtual machine. */
option_reader record_value_arch;

#endif
