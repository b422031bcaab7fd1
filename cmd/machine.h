/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_H
#define KT_CMD_MACHINE_H

#include <stdbool.h>

struct record_options;

/* Returns whether machine/host/machine is there. */
bool machine_is_installed(void);

/* Makes the recording that @options ask for in the virtual machine
 * (machine/host/machine), which this process becomes.
 *
 * Returns only if that fails: an exit code, said to standard error.
 */
int machine_record(const struct record_options *options);

#endif
