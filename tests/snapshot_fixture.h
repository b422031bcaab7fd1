/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SNAPSHOT_FIXTURE_H
#define KT_TESTS_SNAPSHOT_FIXTURE_H

#include "tests/scratch_folder_fixture.h"

#include <stddef.h>
#include <stdint.h>

/* Name of a snapshot's trace file. */
#define SNAPSHOT_TRACE "trace.bin"

/* Writes a snapshot of CPU 2 and its ETMv4 into @folder, without the trace,
 * which has to be bare; see tests/etmv4_packets.h.
 */
void snapshot_fixture_write(const struct scratch_folder *folder);

/* Writes @size bytes to the file @name in @folder. */
void snapshot_fixture_file(const struct scratch_folder *folder,
			   const char *name, const void *bytes, size_t size);

/* Fills @bytes with a trace of @rounds rounds through that snapshot's code,
 * with a sync point every SNAPSHOT_SYNC_ROUNDS rounds. Returns its size.
 */
enum { SNAPSHOT_SYNC_ROUNDS = 16 };
#define SNAPSHOT_TRACE_ROOM(rounds) ((rounds)*128)
size_t snapshot_fixture_trace(uint8_t *bytes, size_t rounds);

#endif
