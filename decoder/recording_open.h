/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_OPEN_H
#define KT_DECODER_RECORDING_OPEN_H

struct log;
struct recording;

/* Opens the recording at @path: a perf.data file, a directory with one, a
 * snapshot directory, or a trace.dat of trace-cmd.
 *
 * Borrows @log for as long as it is open.  Returns 0 and *@recording, to be
 * closed by recording_close(); a negative enum error, with file and offset
 * said to the log, if it is not a recording, cannot be read, or a part that
 * all else hangs on is missing.  A file that ends too early opens; see
 * recording_is_cut().
 */
int recording_open(const char *path, const struct log *log,
		   struct recording **recording);

#endif
