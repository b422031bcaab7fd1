/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SYSTEM_CALL_NUMBERS_H
#define KT_SYMBOLIZE_SYSTEM_CALL_NUMBERS_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of system call @number of a kernel of @arch, such as
 * "getppid"; NULL if the table has no such number. @is_compat: the call was
 * made through a 32-bit entry.
 */
const char *system_call_number_name(enum recording_arch arch, bool is_compat,
				    int64_t number);

#endif
