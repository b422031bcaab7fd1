/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_H
#define KT_DECODER_TRACE_DAT_H

#include <stdbool.h>

struct recording;

/* Files as trace-cmd writes them, versions 6 and 7 (trace-cmd.dat.v6(5),
 * trace-cmd.dat.v7(5)), with what the function_graph tracer wrote.  Our own
 * recorder writes version 6.
 */

/* Returns whether the file at @path begins as one. */
bool trace_dat_is(const char *path);

/* Reads the file at @path into @recording: formats, and a stream for each CPU.
 * @stands_alone: nothing else says what machine it was, and how functions and
 * tasks are called.
 *
 * Returns 0, or a negative enum error with file and offset said to the log.
 * What is cut off or damaged behind its head is a warning, and a gap later.
 */
int trace_dat_read(struct recording *recording, const char *path,
		   bool stands_alone);

#endif
