/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_H
#define KT_CMD_MACHINE_H

#include <stdbool.h>

struct output_folder;
struct record_options;
struct top_options;

/* Returns whether machine/host/machine is there. */
bool machine_is_installed(void);

/* Makes the recording that @options ask for in the virtual machine
 * (machine/host/machine), into @folder, which QEMU gets as a descriptor.  Returns
 * an exit code, said to standard error if the machine failed.
 */
int machine_record(const struct record_options *options,
		   const struct output_folder *folder);

/* The same for top; what the command writes there stays there.  It has this
 * terminal if there is one.
 *
 * Returns only if the machine cannot be started: this process becomes it.
 */
int machine_top(const struct top_options *options);

#endif
