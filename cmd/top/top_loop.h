/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TOP_LOOP_H
#define KT_CMD_TOP_TOP_LOOP_H

#include <sys/types.h>

struct output_folder;
struct top_options;

/* Runs rounds and shows them, as frames on a terminal, else as text or JSON,
 * until the requested number of rounds is reached, a key or signal ends it, or
 * the traced processes have ended.
 *
 * Returns the exit code: 0; 128+N for signal N; EXIT_FAILED, after a message on
 * standard error, if the first round could not be recorded or the last one not
 * reported.
 */
int top_loop(const struct top_options *options);

/* Starts a process that records all CPUs in slices, as top does with the
 * options @argv (a list that ends with NULL), and after each one saves the sums
 * of all sleeps so far in @folder (TOP_SUMS_FILE). It ends with the caller's thread.
 *
 * Returns its process ID, or -1 with errno.
 */
pid_t top_sums_start(int argc, char **argv, const struct output_folder *folder);

#endif
