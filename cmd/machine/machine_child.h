/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_CHILD_H
#define KT_CMD_MACHINE_CHILD_H

/* Like machine_script_run(), but in a child process; returns when the machine
 * has ended. Terminating signals are forwarded to the child, and the child ends
 * with this process.
 *
 * Returns its exit code, 128 + N if signal N ended it.
 */
int machine_child_run(char **argv);

#endif
