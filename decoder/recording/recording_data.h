/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_DATA_H
#define KT_DECODER_RECORDING_DATA_H

struct recording;

/* Reads the perf.data file of @recording into it: events, features, records,
 * streams of trace.  Returns 0 or a negative enum error, said to its log.
 */
int recording_data_read(struct recording *recording);

#endif
