/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_SAMPLE_PARSE_H
#define KT_DECODER_SAMPLE_PARSE_H

struct record;
struct sideband_record;

/* Parses a SAMPLE record up to and including the registers of the interrupted
 * code. @sideband->event determines its layout (perf_event_open(2),
 * PERF_RECORD_SAMPLE).
 *
 * Returns 1, 0 if the event is unknown, -ERROR_FORMAT if it is too short.
 */
int sample_parse(const struct record *record, struct sideband_record *sideband);

#endif
