/* SPDX-License-Identifier: MIT */
#include "tests/seed_fixture.h"
#include "decoder/recording/sideband.h"
#include "tests/capture_fixture.h"
#include "tests/etmv4_packets.h"
#include "tests/frame_fixture.h"
#include "tests/recording_fixture.h"
#include "tests/snapshot_fixture.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYNCS = 2, ROUNDS = 2, TRACE_ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };

struct bytes {
	uint8_t bytes[FRAME_FIXTURE_ROOM(TRACE_ROOM)];
	size_t size;
};

static struct bytes bare_trace(enum capture_name kind)
{
	struct bytes trace;
	size_t places[SYNCS];

	trace.size =
		capture_fixture_trace(kind, SYNCS, ROUNDS, trace.bytes, places);
	return trace;
}

static struct bytes framed_trace(enum capture_name kind)
{
	const struct bytes bare = bare_trace(kind);
	struct frame_byte bytes[TRACE_ROOM];
	struct bytes trace;

	for (size_t i = 0; i < bare.size; i++)
		bytes[i] = (struct frame_byte){
			.id = CAPTURE_FIRST_ID,
			.byte = bare.bytes[i],
		};
	trace.size = frame_fixture_write(trace.bytes, bytes, bare.size, 2);
	return trace;
}

struct scratch_folder seed_capture(int kind, bool is_framed)
{
	const enum capture_name name = (enum capture_name)kind;
	struct scratch_folder folder = scratch_folder_new();
	const struct bytes trace = is_framed ? framed_trace(name) :
					       bare_trace(name);

	capture_fixture_write(&folder, &name, 1,
			      is_framed ? "coresight" : "source_data");
	snapshot_fixture_file(&folder, CAPTURE_TRACE, trace.bytes, trace.size);
	return folder;
}

/* Writes the recording, frees everything else and returns the folder, which the
 * caller owns.
 */
struct scratch_folder seed_finish(struct recording_fixture *fixture)
{
	struct scratch_folder folder;

	recording_fixture_write(fixture);
	free(fixture->bytes);
	snprintf(folder.path, sizeof(folder.path), "%s", fixture->path);
	return folder;
}

void seed_add_aux(struct recording_fixture *fixture, size_t size,
		  uint64_t flags)
{
	const struct fixture_origin origin = { 1, 1, 9000 };
	const uint64_t aux[] = { 0, size, flags };

	recording_fixture_record(fixture, PERF_RECORD_AUX, 0, aux, sizeof(aux),
				 &origin);
}

static void add_code(struct recording_fixture *fixture)
{
	const struct capture_kind *kind = &capture_kinds[CAPTURE_ETMV4];

	recording_fixture_code(fixture, kind->base, (const uint8_t *)kind->code,
			       kind->code_size);
}

/* Only code that did not run is changed. */
void seed_add_poke(struct recording_fixture *fixture, uint64_t address,
		   uint32_t old, uint64_t time_ns)
{
	const struct fixture_origin origin = { 1, 1, time_ns };
	const struct {
		uint64_t address;
		uint16_t sizes[2];
		uint32_t words[2];
	} poke = { address, { 4, 4 }, { old, ~old } };

	recording_fixture_record(fixture, PERF_RECORD_TEXT_POKE, 0, &poke,
				 sizeof(poke), &origin);
}

/* Maps a program at the address of the captures' code. */
static void add_program(struct recording_fixture *fixture)
{
	const struct capture_kind *kind = &capture_kinds[CAPTURE_ETMV4];
	const struct fixture_origin end = { 1, 1, 8000 };
	static const int32_t next[] = { 2, 2 };

	recording_fixture_program(fixture, 1, "program", kind->base, kind->code,
				  kind->code_size);
	recording_fixture_record(fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &end);
}

struct scratch_folder seed_coresight(int is_framed, bool has_program)
{
	struct recording_fixture fixture;
	const struct bytes trace = is_framed ? framed_trace(CAPTURE_ETMV4) :
					       bare_trace(CAPTURE_ETMV4);

	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, trace.bytes, trace.size);
	(has_program ? add_program : add_code)(&fixture);
	seed_add_aux(&fixture, trace.size,
		     is_framed ? 0 : SIDEBAND_AUX_FORMAT_CORESIGHT_RAW);
	return seed_finish(&fixture);
}

struct scratch_folder seed_poked(int kind, bool second)
{
	static const uint8_t trace[] = {
		SYNC,	      TRACE_ON,	   CONTEXT(0),	  STAMP(500),
		EXECUTED,     EXECUTED,	   ADDRESS(0x08), STAMP(2000),
		NOT_EXECUTED, STAMP(3000), EXECUTED,
	};
	struct recording_fixture fixture;

	(void)kind;
	(void)second;
	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, trace, sizeof(trace));
	add_code(&fixture);
	seed_add_poke(&fixture, ETMV4_BASE + 0x20, 0xd503201f, 1000);
	seed_add_aux(&fixture, sizeof(trace),
		     SIDEBAND_AUX_FORMAT_CORESIGHT_RAW);
	return seed_finish(&fixture);
}
