/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_H
#define KT_DECODER_SNAPSHOT_H

struct recording;

/* Reads the snapshot whose snapshot.ini is @recording's data path into it: its
 * architecture, trace units, buffers and memory.
 *
 * A snapshot is a directory as Arm's debuggers write and OpenCSD reads it: a
 * trace buffer's contents, the registers of the trace units, dumps of memory.
 * The format: OpenCSD's decoder/docs/specs/ARM Trace and Debug Snapshot file
 * format.  Beside that, it may hold a copy of the traced kernel's /proc/kallsyms
 * and /proc/modules, as kallsyms and modules.
 *
 * What is no CPU's, or cannot be read, is said to the recording's log.  Returns
 * 0 or a negative enum error: -ERROR_FORMAT if no trace is left, -ERROR_UNSUPPORTED
 * if what there is is no CPU's.  CPUs have the numbers in their names, unless two
 * have the same: then those of their places.
 */
int snapshot_read(struct recording *recording);

#endif
