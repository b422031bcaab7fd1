/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_STREAMS_H
#define KT_DECODER_CORESIGHT_STREAMS_H

struct recording;

/* A recording's CoreSight trace, CPU by CPU.
 *
 * A sink that several CPUs share (ETR, ETF) leaves their bytes mixed in
 * frames in whichever CPU's buffer was read then; a sink of one CPU (TRBE)
 * leaves them bare.  Either becomes a stream a CPU whose pieces lie in order
 * of time, each what a trace unit wrote at one go, frames and all: taking a
 * CPU's own bytes out of the frames is left to the decoder.  Where the
 * recording follows a thread instead, its pieces come from the CPUs that it
 * ran on.
 */
struct coresight_streams;

/* Reads the trace units of @recording, if it is of CoreSight, from its
 * AUXTRACE_INFO and its AUX_OUTPUT_HW_ID records, and splits its streams.  What
 * is malformed is said to its log.  Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_make(struct recording *recording);

/* Puts streams in place of the buffers that the stream list of @recording,
 * whose trace units are known, found.  Says to its log what belongs to no unit.
 * Returns 0 or -ERROR_MEMORY.
 */
int coresight_streams_split(struct recording *recording);

/* Frees what the streams of @recording consist of. */
void coresight_streams_free(struct coresight_streams *streams);

#endif
