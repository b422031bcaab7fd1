/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_SLICE_RECORDS_H
#define KT_ATTRIBUTION_SLICE_RECORDS_H

#include "attribution/interrupts/interrupt_rows.h"
#include "common/array.h"
#include "common/maps.h"

#include <stdbool.h>
#include <stdint.h>

struct pack;

enum slice_record_kind {
	RECORD_SLICE, /* a slice of interrupt work has ended */
	RECORD_SHARE, /* part of a slice that ended before: its owner */
	SLICE_RECORD_KINDS,
};

/* Interrupt work as records that are cached or read. Owners depend on the whole
 * recording, whatever part of it a window selects, so the cached records are
 * independent of the window.
 */
struct slice_records {
	struct kept_file_writer *writer; /* NULL: nothing is cached */
	/* Slices that were read and are shown (struct known_slice), and their
	 * index plus 1 by serial.
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

/* Cache one slice or share; @times (struct time_window) is the slice's own
 * time.
 */
void slice_records_keep_slice(const struct slice_records *records,
			      const struct interrupt_row *work,
			      const struct slice_span *span,
			      const struct array *times);
void slice_records_keep_share(const struct slice_records *records, int32_t pid,
			      const struct interrupt_charge *charge);

/* Returns the kind of the next record; SLICE_RECORD_KINDS if the pack has
 * failed.
 */
enum slice_record_kind slice_records_read_kind(struct pack *pack);

struct read_slice {
	struct interrupt_row work;
	struct slice_span span;
};

/* Reads the rest of a slice record; only the part in @window is shown. */
void slice_records_read_slice(struct pack *pack, struct time_window window,
			      uint32_t functions, struct read_slice *slice);

/* Registers the slice as work @number, so that its shares may follow. Returns
 * false when out of memory.
 */
bool slice_records_know(struct slice_records *records,
			const struct read_slice *slice, uint32_t number);

/* Reads the rest of a share record. A share of a slice that is not registered
 * is not shown.
 */
void slice_records_read_share(const struct slice_records *records,
			      struct pack *pack, int32_t *pid,
			      struct interrupt_charge *charge);

#endif
