/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_MACHINE_H
#define KT_CMD_MACHINE_MACHINE_H

#include <limits.h>
#include <stdbool.h>

struct output_folder;
struct record_options;
struct top_options;

/* Returns whether the virtual machine's program, machine/host/machine, is in
 * the source tree or installed.
 */
bool machine_is_installed(void);

/* Runs record with @options in the virtual machine, which writes the recording
 * to @folder; QEMU gets the folder as a descriptor. Returns an exit code, after
 * a message on standard error if the machine failed.
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
