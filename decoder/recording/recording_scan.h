/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_SCAN_H
#define KT_DECODER_RECORDING_SCAN_H

struct record_store;
struct recording_facts;

/* Reads all records of @store once and fills in the facts of the whole
 * recording: counts, streams, time conversion, events of pipe mode.
 *
 * Returns 0 or -ERROR_MEMORY.
 */
int recording_scan(struct recording_facts *facts,
		   const struct record_store *store);

#endif
