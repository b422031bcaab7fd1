/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_SCAN_H
#define KT_DECODER_RECORDING_SCAN_H

struct recording;

/* Walks all records once and fills in what they say about the recording as a
 * whole: counts, streams, time conversion, events of pipe mode.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int recording_scan(struct recording *recording);

#endif
