/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_STREAMS_H
#define KT_DECODER_CORESIGHT_STREAMS_H

struct recording;

/* A recording's CoreSight trace by CPU.
 *
 * A sink shared by several CPUs (ETR, ETF) writes their bytes mixed in frames
 * into the buffer of the CPU that is read; a sink of one CPU (TRBE) writes them
 * without frames. Both become a stream for each CPU whose slices are in order
 * of time, each written by a trace unit from start to stop, frames included:
 * the decoder extracts a CPU's bytes from the frames. If the recording follows
 * a thread instead, its slices are from the CPUs that it ran on.
 */
struct coresight_streams;

/* Reads the trace units of @recording, if it has CoreSight trace, from its
 * AUXTRACE_INFO and AUX_OUTPUT_HW_ID records, and splits its streams. Malformed
 * data is logged. Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_make(struct recording *recording);

/* Replaces the buffers that the stream list of @recording found by streams. Its
 * trace units must be known. Logs trace of no unit. Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_split(struct recording *recording);

/* Frees the memory of the streams of a recording. */
void coresight_streams_free(struct coresight_streams *streams);

#endif
