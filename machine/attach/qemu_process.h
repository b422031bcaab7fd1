/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_QEMU_PROCESS_H
#define KT_MACHINE_ATTACH_QEMU_PROCESS_H

#include <sys/types.h>

/* A running QEMU and the host's ends of its connections, which are
 * non-blocking. The caller closes them.
 */
struct qemu_process {
	pid_t pid;
	int channel;  /* QEMU's file descriptor 3 */
	int console;  /* QEMU's file descriptor 4 */
	int monitor;  /* QEMU's file descriptor 5 */
	int messages; /* its standard output and error */
};

/* Starts QEMU in its own process group, so that Ctrl-C reaches only this
 * process. QEMU dies with this process, whatever ends it. Returns 0, or
 * negative errno.
 */
int qemu_process_start(struct qemu_process *qemu, char **command);

#endif
