/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "tests/fixtures/capture.h"
#include "tests/fixtures/flow_run.h"
#include "tests/fixtures/packed_folder.h"
#include "tests/fixtures/packet.h"
#include "tests/fixtures/recording.h"
#include "tests/fixtures/seed.h"
#include "tests/fixtures/snapshot.h"
#include "tests/run_suite.h"

#include <intel-pt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Seeds for the fuzz entry of recordings: small recordings and captures with
 * code, which must be decoded to the end to be useful. They are written to the
 * folder named by KTRACE_SEEDS, if that is set.
 */
enum { SEED_ROOM = 1 << 16 };

/* call 0x1008; nop; jne 0x1000; nop; ret; jmp *%rax; wrmsr. */
static const uint8_t intel_code[] = {
	0xe8, 0x03, 0,	  0,	0,    0x90, 0x75, 0xf8,
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
	{ .type = ppt_tnt_8, .payload.tnt = { .bit_size = 4, .payload = 0xe } },
	{ .type = ppt_fup, IP(INTEL_CODE + 8) }, /* an interrupt */
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
	if (is_changed) {
		recording_fixture_code_at_end(&fixture, INTEL_CODE + 14,
					      intel_code, 2);
		seed_add_poke(&fixture, INTEL_CODE + 12, 0x9090300f, 1010);
	}
	seed_add_aux(&fixture, size, 0);
	return seed_finish(&fixture);
}

static const struct seed {
	const char *name;
	struct scratch_folder (*make)(int kind, bool second);
	int kind;
	bool second;
	/* expected number of executed instructions */
	unsigned int instructions;
} seeds[] = {
	{ "etmv4", seed_capture, CAPTURE_ETMV4, false, 60 },
	{ "etmv4_frames", seed_capture, CAPTURE_ETMV4, true, 60 },
	{ "ete", seed_capture, CAPTURE_ETE, false, 60 },
	{ "etmv4_ahead", seed_capture, CAPTURE_AHEAD_ETMV4, false, 60 },
	{ "ete_ahead", seed_capture, CAPTURE_AHEAD_ETE, true, 60 },
	{ "ete_frames", seed_capture, CAPTURE_ETE, true, 60 },
	{ "ptm", seed_capture, CAPTURE_PTM, false, 48 },
	{ "ptm_frames", seed_capture, CAPTURE_PTM, true, 48 },
	{ "etmv3", seed_capture, CAPTURE_ETMV3, false, 48 },
	{ "etmv3_frames", seed_capture, CAPTURE_ETMV3, true, 48 },
	{ "etmv4_32", seed_capture, CAPTURE_ETMV4_32, false, 116 },
	{ "ete_32_frames", seed_capture, CAPTURE_ETE_32, true, 116 },
	{ "recording", seed_coresight, false, false, 60 },
	{ "recording_frames", seed_coresight, true, false, 60 },
	{ "recording_program", seed_coresight, false, true, 60 },
	{ "recording_poked", seed_poked, 0, false, 8 },
	{ "intel_pt", intel_recording, 0, false, 13 },
	{ "intel_pt_changed", intel_recording, 0, true, 13 },
};

static const char *const files[] = {
	"data",
	"program",
	"kcore_dir/kcore",
	"kcore_dir/kcore_end",
	"snapshot.ini",
	"trace.ini",
	"cpu0.ini",
	"unit0.ini",
	"code0.bin",
	"program0.bin",
	CAPTURE_TRACE,
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

/* Reads a packed seed as the fuzz entry does. */
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
	static const char packed[] =
		"PERFILE2" PACKED_FOLDER_MARK
		"../ktrace-hw-leads-out\n1" PACKED_FOLDER_MARK
		"kcore_dir/kcore\n22" PACKED_FOLDER_MARK
		"/out\n" PACKED_FOLDER_MARK "last";
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
	snprintf(path, sizeof(path), "%s/../ktrace-hw-leads-out", folder.path);
	ck_assert_ptr_null(fopen(path, "rb"));
	snprintf(path, sizeof(path), "%s/last", folder.path);
	ck_assert_ptr_null(fopen(path, "rb"));
	packed_folder_remove(&folder);
}
END_TEST

SUITE("fuzz_seeds")
{
	TEST_EACH(seeds_are_decoded_to_the_end, seeds);
	TEST(folders_are_unpacked);
}
