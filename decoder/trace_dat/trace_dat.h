/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TRACE_DAT_TRACE_DAT_H
#define KT_DECODER_TRACE_DAT_TRACE_DAT_H

#include "decoder/recording/recording.h"

#include <stdbool.h>

struct recording;

/* Files written by trace-cmd, versions 6 and 7 (trace-cmd.dat.v6(5),
 * trace-cmd.dat.v7(5)), with the output of the function_graph tracer. Our own
 * recorder writes version 6.
 *
 *	head: formats of events, names, clock ─► struct recording_facts
 *	pages of each CPU, unpacked if needed  ─► struct aux_stream ─► ring_page.h
 *
 * A file stands alone, or lies in a recording of ours, whose other files
 * describe the machine. If our recorder was killed, the head has no pages; they
 * are in the files trace.cpuN beside it.
 *
 * The file is untrusted: every read is checked, and unpacking is limited by
 * common/budget.h. Pages before a damaged place are used, and a gap follows.
 */

/* Returns whether the file at @path starts with the magic of trace.dat. */
bool trace_dat_is(const char *path);

/* Reads the file at @path into @recording: formats, and a stream for each CPU.
 * @stands_alone: no other file of the recording describes the machine and
 * contains the names of functions and tasks.
 *
 * Returns 0, or a negative enum error after logging file and offset. Truncation
 * or damage after the head of the file is logged as a warning, and causes a gap
 * later.
 */
int trace_dat_read(struct recording *recording, const char *path,
		   bool stands_alone);

#endif
