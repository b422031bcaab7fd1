/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_SESSION_H
#define KT_MACHINE_ATTACH_SESSION_H

#include "machine/attach/options.h"

/* The machine's own exit codes; the command's are passed through. */
enum {
	EXIT_USAGE = 2,
	EXIT_TIMEOUT = 124,
	EXIT_MACHINE = 125,
};

/* Runs one machine to its end: starts QEMU, connects the guest's command to the
 * standard streams, and ends QEMU. Returns the exit code: the command's, 124
 * after the time limit, 125 if the machine failed, 128+N if signal N ended it.
 */
int session_run(const struct options *options);

#endif
