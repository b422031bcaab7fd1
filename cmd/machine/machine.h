/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_MACHINE_H
#define KT_CMD_MACHINE_MACHINE_H

#include <limits.h>
#include <stdbool.h>

struct output_folder;
struct record_options;
struct top_options;

/* Returns whether machine/host/machine is installed. */
bool machine_is_installed(void);

/* Makes the recording that @options describe in the virtual machine
 * (machine/host/machine) and writes it to @folder, which is passed to QEMU as a
 * descriptor. Returns an exit code, after a message on standard error if the
 * machine failed.
 */
int machine_record(const struct record_options *options,
		   const struct output_folder *folder);

/* Runs top in the virtual machine, connected to this terminal if there is one.
 * Files that the traced command writes are not copied back.
 *
 * Replaces this process; returns only if the machine cannot be started.
 */
int machine_top(const struct top_options *options);

#endif
