/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLICE_RECORDS_H
#define KT_ATTRIBUTION_SLICE_RECORDS_H

#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"
#include "common/number_map.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

enum slice_record_kind {
	RECORD_SLICE, /* a slice of interrupt work has ended */
	RECORD_SHARE, /* part of one, which ended before: it is known whose */
	SLICE_RECORD_KINDS,
};

/* Interrupt work as records that are kept, or read: for whom it was is what all of
 * the recording tells, whatever part of it a window wants.
 */
struct slice_records {
	struct kept_file_writer *writer; /* NULL: they are not kept */
	/* Those that were read and are shown: struct known_slice, and where they
	 * are there plus 1, by serial.
	 */
	struct array slices;
	struct number_map by_serial;
};

#define SLICE_RECORDS_NONE \
	((struct slice_records){ .slices = ARRAY_OF(struct known_slice) })

struct known_slice {
	uint32_t work;
	struct slice_span span;
};

void slice_records_free(struct slice_records *records);

/* Keep one; @times (struct time_window) are the slice's own. */
void slice_records_keep_slice(const struct slice_records *records,
			      const struct interrupt_row *work,
			      const struct slice_span *span,
			      const struct array *times);
void slice_records_keep_share(const struct slice_records *records, int32_t pid,
			      const struct interrupt_charge *charge);

/* Returns which record follows, SLICE_RECORD_KINDS if the pack has failed. */
enum slice_record_kind slice_records_read_kind(struct pack *pack);

struct read_slice {
	struct interrupt_row work;
	struct slice_span span;
};

/* Reads the rest of it; of the slice is shown what is in @window. */
void slice_records_read_slice(struct pack *pack, struct time_window window,
			      uint32_t functions, struct read_slice *slice);

/* The slice is of work @number: its shares may follow.  Returns false when out of
 * memory.
 */
bool slice_records_know(struct slice_records *records,
			const struct read_slice *slice, uint32_t number);

/* Reads the rest of it; that of a slice which is not known is not shown. */
void slice_records_read_share(const struct slice_records *records,
			      struct pack *pack, int32_t *pid,
			      struct interrupt_charge *charge);

#endif
