/* SPDX-License-Identifier: MIT */
/* The programs of record --syscall-data fit into their room, and the kernel's
 * verifier accepts them where it may be asked.
 */
#include "collector/call_data/call_data_program_internal.h"
#include "common/formats/kernel_types.h"
#include "tests/run_suite.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct call_data_maps maps_of(int plans, int scratch, int failed,
				     int hits)
{
	return (struct call_data_maps){
		.maps = { .begins = -1,
			  .hits = hits,
			  .seeds = -1,
			  .members = -1 },
		.plans = plans,
		.scratch = scratch,
		.failed = failed,
	};
}

/* The longest programs, with the instructions that choose processes, fit too.
 */
START_TEST(programs_fit_into_their_room)
{
	const struct file_offsets offsets = { .sock_local_ipv6 = 8 };
	struct call_data_maps maps = maps_of(3, 4, 5, 6);

	maps.maps.seeds = 7;
	maps.maps.members = 8;
	for (int is_exit = 0; is_exit < 2; is_exit++) {
		struct bpf_code code = { .count = 0 };

		call_data_program(&code, &maps, &offsets, is_exit, 1);
		ck_assert_uint_gt(code.count, 100);
		ck_assert_uint_lt(code.count, BPF_CODE_ROOM * 9 / 10);
	}
}
END_TEST

static int make_map(enum bpf_map_type type, size_t key, size_t value)
{
	return bpf_map_new(type, key, value, 16);
}

START_TEST(the_verifier_accepts_them)
{
	struct kernel_types *types = kernel_types_running();
	struct file_offsets offsets;
	const bool has_offsets = types && file_offsets_find(&offsets, types);
	const struct call_data_maps maps = maps_of(
		make_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(struct call_plan)),
		make_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4,
			 call_data_scratch_size()),
		make_map(BPF_MAP_TYPE_LRU_HASH, 8, 8),
		make_map(BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4));
	char why[200] = "";

	kernel_types_free(types);
	if (maps.plans < 0 || maps.scratch < 0) {
		puts("skipped: the kernel permits no BPF maps here");
		return;
	}
	for (int i = 0; i < 4; i++) {
		struct bpf_code code = { .count = 0 };
		int program;

		call_data_program(&code, &maps,
				  i / 2 && has_offsets ? &offsets : NULL, i % 2,
				  1);
		program = bpf_program_load(BPF_PROG_TYPE_RAW_TRACEPOINT, &code,
					   why, sizeof(why));
		ck_assert_msg(program >= 0 || errno == EPERM, "%s", why);
		if (program >= 0)
			close(program);
	}
}
END_TEST

SUITE("call_data_program")
{
	TEST(programs_fit_into_their_room);
	TEST(the_verifier_accepts_them);
}
