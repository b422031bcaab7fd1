/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CORESIGHT_STREAMS_H
#define KT_DECODER_CORESIGHT_STREAMS_H

struct recording;

/* A recording's CoreSight trace, CPU by CPU.
 *
 * A sink that several CPUs share (ETR, ETF) leaves their bytes mixed in frames
 * in whichever CPU's buffer was read then; a sink of one CPU (TRBE) leaves them
 * bare.  Either becomes a stream a CPU whose pieces lie in order of time, each
 * what a trace unit wrote at one go, frames and all: taking a CPU's own bytes
 * out of the frames is left to the decoder.  Where the recording follows a
 * thread instead, its pieces come from the CPUs that it ran on.
 */
struct coresight_streams;

/* Reads the trace units of @recording, whose trace is CoreSight's, and puts the
 * streams in place of the buffers that its stream list found.  Says to its log
 * what belongs to no unit.  Returns 0 or a negative enum error.
 */
int coresight_streams_split(struct recording *recording);

/* What the streams of @recording consist of. */
void coresight_streams_free(struct coresight_streams *streams);

#endif
