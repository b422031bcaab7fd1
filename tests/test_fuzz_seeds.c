/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "tests/capture_fixture.h"
#include "tests/etmv4_packets.h"
#include "tests/flow_run_fixture.h"
#include "tests/frame_fixture.h"
#include "tests/packed_folder_fixture.h"
#include "tests/packet_fixture.h"
#include "tests/recording_fixture.h"
#include "tests/run_suite.h"
#include "tests/snapshot_fixture.h"

#include <intel-pt.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the fuzz entry of recordings begins with: small recordings and captures
 * with code, which must be decoded to the end to be worth something.  They are
 * written into the folder that KTRACE_SEEDS names, if it names one.
 */
enum { SYNCS = 2, ROUNDS = 2, TRACE_ROOM = CAPTURE_ROOM(SYNCS, ROUNDS) };
enum { SEED_ROOM = 1 << 16 };

struct bytes {
	uint8_t bytes[FRAME_FIXTURE_ROOM(TRACE_ROOM)];
	size_t size;
};

static struct bytes bare_trace(enum capture_name kind)
{
	struct bytes trace;
	size_t places[SYNCS];

	trace.size = capture_fixture_trace(kind, SYNCS, ROUNDS, trace.bytes,
					   places);
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

static struct scratch_folder capture(int kind, bool is_framed)
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

/* The recording's files are its caller's, the rest is freed. */
static struct scratch_folder finish(struct recording_fixture *fixture)
{
	struct scratch_folder folder;

	recording_fixture_write(fixture);
	free(fixture->bytes);
	snprintf(folder.path, sizeof(folder.path), "%s", fixture->path);
	return folder;
}

static void add_aux(struct recording_fixture *fixture, size_t size,
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

	recording_fixture_code(fixture, kind->base,
			       (const uint8_t *)kind->code, kind->code_size);
}

/* A program that is mapped where the captures' code is. */
static void add_program(struct recording_fixture *fixture)
{
	const struct capture_kind *kind = &capture_kinds[CAPTURE_ETMV4];
	const struct fixture_origin origin = { 1, 1, 0 };
	const struct fixture_origin end = { 1, 1, 8000 };
	static const int32_t next[] = { 2, 2 };
	struct scratch_folder folder;
	struct {
		uint32_t pid, tid;
		uint64_t address, size, offset;
		char name[16];
	} map = { 1, 1, kind->base, kind->code_size, 0, "/program" };

	snprintf(folder.path, sizeof(folder.path), "%s", fixture->path);
	snapshot_fixture_file(&folder, "program", kind->code, kind->code_size);
	recording_fixture_record(fixture, PERF_RECORD_MMAP,
				 PERF_RECORD_MISC_USER, &map, sizeof(map),
				 &origin);
	recording_fixture_record(fixture, PERF_RECORD_SWITCH_CPU_WIDE,
				 PERF_RECORD_MISC_SWITCH_OUT, next,
				 sizeof(next), &end);
}

static struct scratch_folder coresight_recording(int is_framed, bool has_program)
{
	struct recording_fixture fixture;
	const struct bytes trace = is_framed ? framed_trace(CAPTURE_ETMV4) :
					       bare_trace(CAPTURE_ETMV4);

	recording_fixture_begin_coresight(&fixture);
	recording_fixture_trace(&fixture, 0, trace.bytes, trace.size);
	(has_program ? add_program : add_code)(&fixture);
	add_aux(&fixture, trace.size,
		is_framed ? 0 : SIDEBAND_AUX_FORMAT_CORESIGHT_RAW);
	return finish(&fixture);
}

/* call 0x1008; nop; jne 0x1000; nop; ret; jmp *%rax; wrmsr. */
static const uint8_t intel_code[] = {
	0xe8, 0x03, 0, 0, 0, 0x90, 0x75, 0xf8,
	0x90, 0xc3, 0xff, 0xe0, 0x0f, 0x30, 0x90, 0x90,
};
enum { INTEL_CODE = 0x1000 };
#define IP(value) .payload.ip = { .ipc = pt_ipc_sext_48, .ip = (value) }

static const struct pt_packet intel_packets[] = {
	{ .type = ppt_psb },
	{ .type = ppt_tsc, .payload.tsc.tsc = 1000 },
	{ .type = ppt_cbr, .payload.cbr.ratio = 10 },
	{ .type = ppt_mode,
	  .payload.mode = { .leaf = pt_mol_exec, .bits.exec.csl = 1 } },
	{ .type = ppt_fup, IP(INTEL_CODE) },
	{ .type = ppt_psbend },
	{ .type = ppt_cyc, .payload.cyc.value = 7 },
	{ .type = ppt_tnt_8,
	  .payload.tnt = { .bit_size = 4, .payload = 0xe } },
	{ .type = ppt_fup, IP(INTEL_CODE + 8) },	/* an interrupt */
	{ .type = ppt_tip, IP(INTEL_CODE + 10) },
	{ .type = ppt_tip, IP(INTEL_CODE + 8) },
	{ .type = ppt_tip_pgd, IP(INTEL_CODE + 14) },
	{ .type = ppt_tsc, .payload.tsc.tsc = 1020 },
};

static struct scratch_folder intel_recording(int kind, bool is_changed)
{
	struct recording_fixture fixture;
	size_t size;

	(void)kind;
	recording_fixture_begin(&fixture);
	size = recording_fixture_packets(&fixture, 0, intel_packets,
					 sizeof(intel_packets) /
						 sizeof(*intel_packets));
	recording_fixture_code(&fixture, INTEL_CODE, intel_code,
			       sizeof(intel_code));
	/* What did not run. */
	if (is_changed)
		recording_fixture_code_at_end(&fixture, INTEL_CODE + 12,
					      intel_code, 2);
	add_aux(&fixture, size, 0);
	return finish(&fixture);
}

static const struct seed {
	const char *name;
	struct scratch_folder (*make)(int kind, bool second);
	int kind;
	bool second;
	unsigned int instructions;	/* that ran in it */
} seeds[] = {
	{ "etmv4", capture, CAPTURE_ETMV4, false, 60 },
	{ "etmv4_frames", capture, CAPTURE_ETMV4, true, 60 },
	{ "ete", capture, CAPTURE_ETE, false, 60 },
	{ "ete_frames", capture, CAPTURE_ETE, true, 60 },
	{ "ptm", capture, CAPTURE_PTM, false, 48 },
	{ "ptm_frames", capture, CAPTURE_PTM, true, 48 },
	{ "etmv3", capture, CAPTURE_ETMV3, false, 48 },
	{ "etmv3_frames", capture, CAPTURE_ETMV3, true, 48 },
	{ "etmv4_32", capture, CAPTURE_ETMV4_32, false, 116 },
	{ "ete_32_frames", capture, CAPTURE_ETE_32, true, 116 },
	{ "recording", coresight_recording, false, false, 60 },
	{ "recording_frames", coresight_recording, true, false, 60 },
	{ "recording_program", coresight_recording, false, true, 60 },
	{ "intel_pt", intel_recording, 0, false, 13 },
	{ "intel_pt_changed", intel_recording, 0, true, 13 },
};

static const char *const files[] = {
	"data",	     "program",	  "kcore_dir/kcore", "kcore_dir/kcore_end",
	"snapshot.ini", "trace.ini", "cpu0.ini",	     "unit0.ini",
	"code0.bin", "program0.bin", CAPTURE_TRACE,
};

static size_t pack(const struct scratch_folder *folder, uint8_t *packed)
{
	size_t size = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		char path[256];
		FILE *file;

		scratch_folder_path(folder, files[i], path, sizeof(path));
		file = fopen(path, "rb");
		if (!file)
			continue;
		size += (size_t)sprintf((char *)packed + size, "%s%s\n",
					PACKED_FOLDER_MARK, files[i]);
		size += fread(packed + size, 1, SEED_ROOM - size, file);
		ck_assert_uint_lt(size + 64, SEED_ROOM);
		fclose(file);
	}
	return size;
}

/* As the fuzz entry reads it. */
static void read_back(const struct seed *seed, const uint8_t *packed,
		      size_t size)
{
	struct packed_folder folder;
	struct flow_totals totals;
	struct flow_run run;

	ck_assert(packed_folder_unpack(&folder, packed, size));
	ck_assert_int_eq(flow_run_open(&run, folder.path, folder.path), 0);
	ck_assert_uint_eq(recording_stream_count(run.recording), 1);
	flow_run_stream(&run, 0, &totals, NULL);
	ck_assert_uint_eq(totals.kinds[FLOW_GAP], 0);
	ck_assert_uint_eq(totals.instructions, seed->instructions);
	flow_run_close(&run);
	packed_folder_remove(&folder);
}

START_TEST(seeds_are_decoded_to_the_end)
{
	const struct seed *seed = &seeds[_i];
	struct scratch_folder folder = seed->make(seed->kind, seed->second);
	static uint8_t packed[SEED_ROOM];
	size_t size = pack(&folder, packed);
	struct scratch_folder kept;

	read_back(seed, packed, size);
	if (getenv("KTRACE_SEEDS")) {
		snprintf(kept.path, sizeof(kept.path), "%s",
			 getenv("KTRACE_SEEDS"));
		snapshot_fixture_file(&kept, seed->name, packed, size);
	}
	scratch_folder_free(&folder);
}
END_TEST

/* A recording alone is a folder, too; no name leads out of one. */
START_TEST(folders_are_unpacked)
{
	static const char packed[] = "PERFILE2" PACKED_FOLDER_MARK
		"../out\n1" PACKED_FOLDER_MARK "kcore_dir/kcore\n22"
		PACKED_FOLDER_MARK "/out\n" PACKED_FOLDER_MARK "code";
	struct packed_folder folder;
	char path[256];
	FILE *file;

	ck_assert(packed_folder_unpack(&folder, (const uint8_t *)packed,
				       sizeof(packed) - 1));
	snprintf(path, sizeof(path), "%s/data", folder.path);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(path, 1, sizeof(path), file), 8);
	fclose(file);
	snprintf(path, sizeof(path), "%s/kcore_dir/kcore", folder.path);
	file = fopen(path, "rb");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fread(path, 1, sizeof(path), file), 2);
	fclose(file);
	snprintf(path, sizeof(path), "%s/../out", folder.path);
	ck_assert_ptr_null(fopen(path, "rb"));
	snprintf(path, sizeof(path), "%s/code", folder.path);
	ck_assert_ptr_null(fopen(path, "rb"));
	packed_folder_remove(&folder);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("fuzz_seeds");
	TCase *tcase = tcase_create("seeds");

	tcase_add_loop_test(tcase, seeds_are_decoded_to_the_end, 0,
			    sizeof(seeds) / sizeof(*seeds));
	tcase_add_test(tcase, folders_are_unpacked);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
