/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_MACHINE_CHILD_H
#define KT_CMD_MACHINE_CHILD_H

/* Runs the script as machine_script_run() does, in a child: who asks goes on
 * when the machine has ended.  Signals that end are handed to it, and it ends
 * with this process.
 *
 * Returns its exit code, 128 + N if signal N ended it.
 */
int machine_child_run(char **argv);

#endif
