/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_OPEN_H
#define KT_DECODER_RECORDING_OPEN_H

struct log;
struct recording;

/* Opens the recording at @path: a perf.data file, a directory with one, a
 * snapshot directory, or a trace.dat of trace-cmd.
 *
 * Borrows @log while it is open. Returns 0 and *@recording, which
 * recording_close() closes. Returns a negative enum error, with file and offset
 * in the log, if it is not a recording, cannot be read, or lacks an essential
 * part. A file that ends too early is opened: see recording_is_cut().
 */
int recording_open(const char *path, const struct log *log,
		   struct recording **recording);

#endif
