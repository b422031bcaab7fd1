/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_VALUES_H
#define KT_TABLES_CALL_VALUES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Flags that create a file, from fcntl.h; CALL_O_TMPFILE is without
 * O_DIRECTORY, whose value depends on the architecture.
 */
#define CALL_O_CREAT 0100
#define CALL_O_TMPFILE 020000000

/* Writes @value in the format @letter, an enum call_value. @is_arm: the numbers
 * are those of Arm's kernels.
 */
void call_value_write(FILE *out, char letter, uint64_t value, bool is_arm);

#endif
