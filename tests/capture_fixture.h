/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_CAPTURE_FIXTURE_H
#define KT_TESTS_CAPTURE_FIXTURE_H

#include "tests/scratch_folder_fixture.h"

#include <stddef.h>
#include <stdint.h>

/* A trace unit and the trace it may write while a loop of calls, returns, an
 * interrupt and its return runs.
 */
struct capture_kind {
	const char *name;
	const char *unit; /* the device's type, and its registers */
	const char *core;
	const char *id_register;
	uint64_t base; /* address of the code */
	const uint32_t *code;
	size_t code_size;
	const uint32_t *program; /* code at ETMV4_USER, or NULL */
	size_t program_size;
	/* Packets and their sizes: to start, to start in the middle, one round,
	 * and optionally to end.
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
	/* A 32-bit program under a 64-bit kernel. */
	CAPTURE_ETMV4_32,
	CAPTURE_ETE_32,
	/* These units trace speculatively: up to seven elements are
	 * uncommitted, and two at the end.
	 */
	CAPTURE_AHEAD_ETMV4,
	CAPTURE_AHEAD_ETE,
	CAPTURE_KINDS,
};

extern const struct capture_kind capture_kinds[CAPTURE_KINDS];

/* The source id of CPU 0 in frames; CPU i has this plus i. */
enum { CAPTURE_FIRST_ID = 0x10 };

/* Writes a snapshot, without its trace, to @folder: one CPU with a unit for
 * each of the @count @kinds. @format as in trace.ini; bare trace belongs to CPU
 * 0.
 */
#define CAPTURE_TRACE "trace.bin"
void capture_fixture_write(const struct scratch_folder *folder,
			   const enum capture_name *kinds, size_t count,
			   const char *format);

/* Fills @bytes with @syncs sync points and @rounds rounds after each; sets
 * @places[i] to the offset of sync point i. Returns the size.
 */
size_t capture_fixture_trace(enum capture_name kind, size_t syncs,
			     size_t rounds, uint8_t *bytes, size_t *places);
#define CAPTURE_ROOM(syncs, rounds) ((syncs) * ((rounds)*160 + 64))

#endif
