/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_SESSION_H
#define KT_MACHINE_ATTACH_SESSION_H

#include "machine/attach/options.h"

/* Exit codes of the machine itself; the command's own pass through. */
enum {
	EXIT_USAGE = 2,
	EXIT_TIMEOUT = 124,
	EXIT_MACHINE = 125,
};

/* Runs one machine to its end: starts QEMU, connects the command in the guest
 * with our standard streams, and ends QEMU.
 * Returns the exit code: the command's, 124 when the time limit passed,
 * 125 when the machine failed, 128+N when signal N ended it.
 */
int session_run(const struct options *options);

#endif
