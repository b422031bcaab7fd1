/* SPDX-License-Identifier: MIT */
/* Which BPF code counts as lost. The linker replaces the kernel's memory by
 * __wrap_*(): all copies succeed.
 */
#include "collector/records/loaded_code.h"

#include "collector/events/event_list.h"
#include "collector/kernel_code/kcore.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "collector/rings/cpu_rings.h"
#include "collector/trace_unit/tracer.h"
#include "common/formats/recording_events.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <string.h>

#define PROGRAM UINT64_C(0xffffffffc0001040)

enum { SIZE = 200, WRITER = 7 };

static struct scratch_folder scratch;
static struct output_folder folder;
static struct event_list events;
static struct loaded_code *loaded;
static uint64_t clock_ns; /* the time at which the next copy ends */

int __wrap_kcore_open(struct kcore *kcore, const char *path);
int __wrap_kcore_copy_raw(const struct kcore *kcore,
			  const struct output_folder *into, const char *name,
			  const struct code_range *range);
int __wrap_kcore_copy_add(const struct kcore *kcore,
			  const struct output_folder *into, const char *name,
			  const struct code_range *range);

int __wrap_kcore_open(struct kcore *kcore, const char *path)
{
	(void)path;
	*kcore = (struct kcore){ .fd = -1, .segments = ARRAY_OF(Elf64_Phdr) };
	return 0;
}

int __wrap_kcore_copy_raw(const struct kcore *kcore,
			  const struct output_folder *into, const char *name,
			  const struct code_range *range)
{
	(void)kcore, (void)range;
	return output_folder_save(into, name, "code", 4, NULL);
}

int __wrap_kcore_copy_add(const struct kcore *kcore,
			  const struct output_folder *into, const char *name,
			  const struct code_range *range)
{
	(void)kcore, (void)into, (void)name, (void)range;
	return 0;
}

static uint64_t read_clock(const struct perf_event_mmap_page *page)
{
	(void)page;
	return clock_ns;
}

static const struct tracer tracer = { .now_ns = read_clock };

static const char *const names[] = { BPF_TEXT_COPY_EVENT, BPF_TEXT_WIPE_EVENT,
				     BPF_TEXT_DONE_EVENT };
enum { COPY, WIPE, DONE };

static void set_up(void)
{
	const struct kernel_copy copy = { .modules = ARRAY_OF(struct module) };

	scratch = scratch_folder_new();
	folder = scratch_folder_output(&scratch);
	events = event_list_new();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct event event = { .fd = -1, .spec = i, .id = i };

		ck_assert_int_eq(
			event_list_add(&events,
				       event_spec_bpf_text(names[i], 0, 0)),
			(int)i);
		ck_assert_int_eq(array_append(&events.events, &event), 0);
	}
	ck_assert_int_eq(loaded_code_open(&folder, &copy, &tracer, NULL,
					  &events, NULL, &loaded),
			 0);
}

static void tear_down(void)
{
	loaded_code_close(loaded);
	array_free(&events.events);
	events.events = ARRAY_OF(struct event);
	event_list_free(&events);
	output_folder_close(&folder);
	scratch_folder_free(&scratch);
}

/* A sample of the event @names[@kind] about the program. */
static void sample(uint64_t kind, uint64_t time_ns)
{
	struct {
		struct event_sample fields;
		uint64_t registers[3]; /* after the ABI */
	} record = {
		.fields = { .id = kind, .tid = WRITER, .time_ns = time_ns },
#ifdef __x86_64__
		.registers = { 2, SIZE, PROGRAM },
#else
		.registers = { 2, PROGRAM, SIZE },
#endif
	};
	const struct ring_bytes bytes = {
		.part = { { &record, sizeof(record) } },
		.size = sizeof(record),
	};

	loaded_code_sample(loaded, &bytes, 0, sizeof(record));
}

static void symbol(uint64_t time_ns, bool is_removed)
{
	const struct loaded_symbol announced = {
		.address = PROGRAM,
		.size = SIZE,
		.time_ns = time_ns,
		.is_removed = is_removed,
	};

	loaded_code_symbol(loaded, &announced);
}

/* The rings are read one after the other: the KSYMBOL record may be read before
 * the samples, so the piece that they announce gets no copy of its own.
 */
START_TEST(a_named_program_is_not_lost_when_it_ends)
{
	clock_ns = 50;
	symbol(20, false);
	sample(COPY, 10);
	sample(DONE, 15);
	symbol(100, true);
	sample(WIPE, 110);
	ck_assert_uint_eq(loaded_code_lost(loaded), 0);
}
END_TEST

START_TEST(a_filter_is_not_lost_when_it_ends)
{
	clock_ns = 50;
	sample(COPY, 10);
	sample(DONE, 15);
	sample(WIPE, 100);
	ck_assert_uint_eq(loaded_code_lost(loaded), 0);
}
END_TEST

START_TEST(a_filter_that_ends_before_it_is_copied_is_lost)
{
	clock_ns = 50;
	sample(COPY, 10);
	sample(WIPE, 30);
	sample(DONE, 15);
	ck_assert_uint_eq(loaded_code_lost(loaded), 1);
}
END_TEST

START_TEST(a_program_that_ends_before_it_is_copied_is_lost)
{
	clock_ns = 50;
	symbol(20, false);
	symbol(30, true);
	ck_assert_uint_eq(loaded_code_lost(loaded), 1);
}
END_TEST

/* The rings of the CPUs are read one after the other, so a loss may be read
 * before or after the announcement, and other code be copied between them.
 */
START_TEST(a_filter_is_lost_if_the_loss_is_read_in_another_round)
{
	const uint64_t since_ns = UINT64_C(100000000000);

	clock_ns = since_ns + 50;
	sample(_i ? WIPE : COPY, since_ns + (_i ? 30 : 10));
	loaded_code_flush(loaded);
	clock_ns += 500000000;
	loaded_code_flush(loaded);
	sample(_i ? COPY : WIPE, since_ns + (_i ? 10 : 30));
	loaded_code_flush(loaded);
	ck_assert_uint_eq(loaded_code_lost(loaded), 1);
}
END_TEST

SUITE("loaded_code")
{
	FIXTURE(set_up, tear_down);
	TEST(a_named_program_is_not_lost_when_it_ends);
	TEST(a_filter_is_not_lost_when_it_ends);
	TEST(a_filter_that_ends_before_it_is_copied_is_lost);
	TEST(a_program_that_ends_before_it_is_copied_is_lost);
	TEST_TIMES(a_filter_is_lost_if_the_loss_is_read_in_another_round, 2);
}
