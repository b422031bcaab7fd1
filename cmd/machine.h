/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_H
#define KT_CMD_MACHINE_H

struct record_options;

/* Makes the recording that @options ask for in the virtual machine
 * (machine/host/machine), which this process becomes.
 *
 * Returns only if that fails: an exit code, said to standard error.
 */
int machine_record(const struct record_options *options);

#endif
