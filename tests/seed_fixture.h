/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_SEED_FIXTURE_H
#define KT_TESTS_SEED_FIXTURE_H

#include "tests/scratch_folder_fixture.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recording_fixture;

/* Small recordings and captures with code, in folders owned by the caller:
 * seeds for fuzz_recording.
 */

/* A capture of @kind (enum capture_name), bare or in frames. */
struct scratch_folder seed_capture(int kind, bool is_framed);

/* A recording of an ETMv4, of kernel code or of a program. */
struct scratch_folder seed_coresight(int is_framed, bool has_program);

/* Like seed_coresight(), but with times, and code that changes between them. */
struct scratch_folder seed_poked(int kind, bool second);

/* Parts of other recordings: an AUX record for all @size bytes; a change of
 * four bytes of code; the end, which keeps the folder.
 */
void seed_add_aux(struct recording_fixture *fixture, size_t size,
		  uint64_t flags);
void seed_add_poke(struct recording_fixture *fixture, uint64_t address,
		   uint32_t old, uint64_t time_ns);
struct scratch_folder seed_finish(struct recording_fixture *fixture);

#endif
