/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_ATTACH_QEMU_PROCESS_H
#define KT_MACHINE_ATTACH_QEMU_PROCESS_H

#include <sys/types.h>

/* A running QEMU and our ends of what connects us to it, all non-blocking and
 * the caller's to close.
 */
struct qemu_process {
	pid_t pid;
	int channel;  /* QEMU's file descriptor 3 */
	int console;  /* QEMU's file descriptor 4 */
	int monitor;  /* QEMU's file descriptor 5 */
	int messages; /* its standard output and error */
};

/* Starts QEMU in a process group of its own, so that Ctrl-C reaches only us.
 * It dies with us, whatever ends us.
 * Returns 0, or negative errno.
 */
int qemu_process_start(struct qemu_process *qemu, char **command);

#endif
