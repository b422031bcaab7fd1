/* SPDX-License-Identifier: MIT */
/* A trace.dat whose recorder was killed, and the page files beside it. */
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/trace_dat/ring_page.h"
#include "decoder/trace_dat/trace_dat.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/fixtures/trace_dat.h"
#include "tests/run_suite.h"

#include <stdio.h>

static struct scratch_folder folder;
static struct made_trace_dat dat;
static struct byte_buffer file;
static struct recording *recording;

static void set_up(void)
{
	folder = scratch_folder_new();
	dat = (struct made_trace_dat){ 0 };
	file = (struct byte_buffer){ 0 };
	made_page(&dat, 1000, 0);
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_page(&dat, 2000, 0);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	byte_buffer_align(&dat.pages, MADE_PAGE_BYTES);
}

static void tear_down(void)
{
	recording_close(recording);
	recording = NULL;
	made_trace_dat_free(&dat);
	byte_buffer_free(&file);
	scratch_folder_free(&folder);
}

static void write_bytes(const char *name, const uint8_t *bytes, size_t size)
{
	char path[128];
	FILE *out;

	scratch_folder_path(&folder, name, path, sizeof(path));
	out = fopen(path, "w");
	ck_assert_ptr_nonnull(out);
	ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
	ck_assert_int_eq(fclose(out), 0);
}

static void read_folder(void)
{
	char path[128];

	made_file(&dat, &file);
	write_bytes("trace.dat", file.bytes, file.size);
	scratch_folder_path(&folder, "trace.dat", path, sizeof(path));
	recording = recording_new(folder.path, NULL);
	ck_assert_ptr_nonnull(recording);
	ck_assert_int_eq(trace_dat_read(recording, path, false), 0);
}

static void expect_events(int wanted)
{
	struct ring_pages pages;
	struct ring_event event;
	int count = 0;

	ck_assert_uint_eq(recording_stream_count(recording), 1);
	pages = ring_pages_of(recording_graph_trace(recording),
			      recording_stream(recording, 0));
	while (ring_pages_next(&pages, &event)) {
		ck_assert(!event.follows_damage);
		count++;
	}
	ck_assert_int_eq(count, wanted);
}

START_TEST(pages_beside_the_head_are_read)
{
	dat.is_unfinished = 1;
	write_bytes("trace.cpu0", dat.pages.bytes, dat.pages.size);
	read_folder();
	expect_events(2);
}
END_TEST

START_TEST(incomplete_pages_are_left_out)
{
	dat.is_unfinished = 1;
	write_bytes("trace.cpu0", dat.pages.bytes, dat.pages.size - 100);
	read_folder();
	expect_events(1);
}
END_TEST

/* The recorder was killed between its last two steps. */
START_TEST(pages_in_the_file_come_first)
{
	write_bytes("trace.cpu0", dat.pages.bytes, MADE_PAGE_BYTES);
	read_folder();
	expect_events(2);
}
END_TEST

START_TEST(without_pages_there_is_no_stream)
{
	dat.is_unfinished = 1;
	read_folder();
	ck_assert_uint_eq(recording_stream_count(recording), 0);
}
END_TEST

SUITE("loose_pages")
{
	FIXTURE(set_up, tear_down);
	TEST(pages_beside_the_head_are_read);
	TEST(incomplete_pages_are_left_out);
	TEST(pages_in_the_file_come_first);
	TEST(without_pages_there_is_no_stream);
}
