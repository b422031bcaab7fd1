/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SNAPSHOT_H
#define KT_DECODER_SNAPSHOT_H

struct recording;

/* Reads the snapshot whose snapshot.ini is @recording's data path into it: its
 * architecture, trace units, buffers and memory.
 *
 * A snapshot is a directory as written by Arm's debuggers and read by OpenCSD:
 * a trace buffer's contents, the registers of the trace units, dumps of memory.
 * The format: OpenCSD's decoder/docs/specs/ARM Trace and Debug Snapshot file
 * format. It may also contain a copy of the traced kernel's /proc/kallsyms and
 * /proc/modules, as kallsyms and modules.
 *
 * Trace of no CPU and unreadable trace is logged. Returns 0 or a negative enum
 * error: -ERROR_FORMAT if no trace is left, -ERROR_UNSUPPORTED if none of the
 * trace is of a CPU. CPUs have the numbers in their names, or their indexes if
 * two have the same number.
 */
int snapshot_read(struct recording *recording);

#endif
