/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_SYSTEM_CALL_NUMBERS_H
#define KT_SYMBOLIZE_SYSTEM_CALL_NUMBERS_H

#include "decoder/recording/recording.h"

#include <stdbool.h>
#include <stdint.h>

/* Returns the name of system call @number of a kernel of @arch, as "getppid";
 * @is_compat: made through a 32-bit entry. NULL if the table has none.
 */
const char *system_call_number_name(enum recording_arch arch, bool is_compat,
				    int64_t number);

#endif
