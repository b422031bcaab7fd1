/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_CAPTURE_FIXTURE_H
#define KT_TESTS_CAPTURE_FIXTURE_H

#include "tests/scratch_folder_fixture.h"

#include <stddef.h>
#include <stdint.h>

/* A trace unit, and what it may write while a loop of calls, returns, an
 * interrupt and its return runs.
 */
struct capture_kind {
	const char *name;
	const char *unit; /* the device's type, and its registers */
	const char *core;
	const char *id_register;
	uint64_t base; /* of the code */
	const uint32_t *code;
	size_t code_size;
	const uint32_t *program; /* code at ETMV4_USER, or NULL */
	size_t program_size;
	/* Packets: to begin, to begin in the middle, one round, and maybe
	 * to end; sizes.
	 */
	const uint8_t *begin;
	size_t begin_size;
	const uint8_t *sync;
	size_t sync_size;
	const uint8_t *round;
	size_t round_size;
	const uint8_t *end;
	size_t end_size;
};

enum capture_name {
	CAPTURE_ETMV4,
	CAPTURE_ETE,
	CAPTURE_PTM,
	CAPTURE_ETMV3,
	/* The same with a 32-bit program under a 64-bit kernel. */
	CAPTURE_ETMV4_32,
	CAPTURE_ETE_32,
	/* These tell of what runs before it is known: they are up to seven
	 * elements ahead, and two at the end.
	 */
	CAPTURE_AHEAD_ETMV4,
	CAPTURE_AHEAD_ETE,
	CAPTURE_KINDS,
};

extern const struct capture_kind capture_kinds[CAPTURE_KINDS];

/* CPU i's source id in frames. */
enum { CAPTURE_FIRST_ID = 0x10 };

/* Writes a snapshot of a CPU with a unit of each of the @count @kinds into
 * @folder, all but the trace.  @format as in trace.ini; bare trace is CPU 0's.
 */
#define CAPTURE_TRACE "trace.bin"
void capture_fixture_write(const struct scratch_folder *folder,
			   const enum capture_name *kinds, size_t count,
			   const char *format);

/* Fills @bytes with @syncs synchronisation points and @rounds rounds behind
 * each; sets @places[i] to where point i begins.  Returns the size.
 */
size_t capture_fixture_trace(enum capture_name kind, size_t syncs,
			     size_t rounds, uint8_t *bytes, size_t *places);
#define CAPTURE_ROOM(syncs, rounds) ((syncs) * ((rounds)*160 + 64))

#endif
