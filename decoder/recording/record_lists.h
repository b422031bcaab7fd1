/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORD_LISTS_H
#define KT_DECODER_RECORD_LISTS_H

#include "common/array.h"
#include "decoder/recording/sideband.h"

#include <stdint.h>

struct recording;

/* Positions in a recording of the records that each CPU's decoder needs:
 * context switches of its CPU, and tasks and programs. One scan of all records
 * builds the lists for all decoders, at eight bytes a record.
 */
struct record_lists;

/* Kinds of records in the list of a CPU and in the list about tasks, as
 * SIDEBAND_BIT()s.
 */
#define RECORD_LISTS_OF_CPU \
	(SIDEBAND_BIT(SIDEBAND_SWITCH) | SIDEBAND_BIT(SIDEBAND_EXIT) | \
	 SIDEBAND_BIT(SIDEBAND_ITRACE_START))
#define RECORD_LISTS_OF_TASKS \
	(SIDEBAND_BIT(SIDEBAND_MMAP) | SIDEBAND_BIT(SIDEBAND_FORK) | \
	 SIDEBAND_BIT(SIDEBAND_COMM) | SIDEBAND_BIT(SIDEBAND_ITRACE_START))

/* Returns NULL when out of memory. */
struct record_lists *record_lists_new(void);
void record_lists_free(struct record_lists *lists);

/* Returns the records of @cpu in @recording, whose @lists are, in the order of
 * sideband_next(): each a const uint8_t * to its header. NULL when out of
 * memory. May be called from several threads at the same time.
 */
const struct array *record_lists_of_cpu(struct record_lists *lists,
					const struct recording *recording,
					int32_t cpu);

/* Like record_lists_of_cpu(), for the records about tasks. */
const struct array *record_lists_of_tasks(struct record_lists *lists,
					  const struct recording *recording);

/* Returns the lists of @recording. */
struct record_lists *recording_record_lists(const struct recording *recording);

#endif
