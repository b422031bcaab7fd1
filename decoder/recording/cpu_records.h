/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_CPU_RECORDS_H
#define KT_DECODER_CPU_RECORDS_H

#include "common/array.h"
#include "decoder/recording/sideband.h"

#include <stdint.h>

struct recording;

/* Where a recording has the records that tell who runs on a CPU: one look
 * through all records finds those of all CPUs, however many ask.  Eight bytes
 * a record.
 */
struct cpu_records;

/* Returns NULL when out of memory. */
struct cpu_records *cpu_records_new(void);
void cpu_records_free(struct cpu_records *records);

/* This is what there is of each CPU, as SIDEBAND_BIT()s. */
#define CPU_RECORDS_KINDS \
	(SIDEBAND_BIT(SIDEBAND_SWITCH) | SIDEBAND_BIT(SIDEBAND_EXIT) | \
	 SIDEBAND_BIT(SIDEBAND_ITRACE_START))

/* Returns the records of @cpu in @recording, whose @records are, in the order of
 * sideband_next(): each a const uint8_t * to its header.  NULL when out of
 * memory.  Several threads may ask at once.
 */
const struct array *cpu_records_of(struct cpu_records *records,
				   const struct recording *recording,
				   int32_t cpu);

#endif
