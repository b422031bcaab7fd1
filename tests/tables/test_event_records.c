/* SPDX-License-Identifier: MIT */
/* Entries, hits' calls and crashes that are cached for windows can be read
 * back; incomplete records, or ones with references to missing entries, are
 * refused.
 */
#include "common/bytes.h"
#include "symbolize/functions/function_table.h"
#include "tables/call_sites/call_sites_internal.h"
#include "tables/calls/crashes_table.h"
#include "tables/calls/hits_table.h"
#include "tests/run_suite.h"

#include <stdlib.h>
#include <string.h>

enum { FUNCTIONS = 20 };

/* Each reads the record at @bytes, and returns whether its references are
 * valid.
 */
typedef bool read_record(struct pack *pack);

static bool read_site(struct pack *pack)
{
	struct call_site site = { 0 };

	call_site_pack(pack, &site, FUNCTIONS);
	return site.function < FUNCTIONS &&
	       (site.caller < FUNCTIONS || site.caller == FUNCTION_NONE);
}

static bool read_hit(struct pack *pack)
{
	struct hit_call call = { .is_known = true };
	bool has_text;

	hit_call_pack(pack, &call, FUNCTIONS);
	has_text = call.text;
	free(call.text);
	return has_text && call.function < FUNCTIONS;
}

static bool read_crash(struct pack *pack)
{
	struct crash crash = { 0 };
	bool has_texts;

	crash_pack(pack, &crash);
	has_texts = crash.signal && crash.stack && crash.calls;
	crash_free(&crash);
	return has_texts;
}

/* Any byte may be another, or missing. */
static void check_damaged(struct pack *written, read_record *read)
{
	for (size_t i = 0; i < written->out.size; i++) {
		uint8_t byte = written->out.bytes[i];
		struct pack pack = pack_to_read(written->out.bytes, i);

		read(&pack);
		ck_assert(pack.failed);
		written->out.bytes[i] = (uint8_t)~byte;
		pack = pack_to_read(written->out.bytes, written->out.size);
		ck_assert(read(&pack) || pack.failed);
		written->out.bytes[i] = byte;
	}
	pack_free(written);
}

START_TEST(an_entry_comes_back)
{
	static const uint32_t purposes[] = { 7, (uint32_t)SITE_PAGE_FAULT,
					     (uint32_t)SITE_SYSTEM_CALL };
	struct call_site site = {
		.purpose = purposes[_i],
		.address = 0x5000,
		.caller = FUNCTION_NONE,
		.function = FUNCTIONS - 1,
		.caller_address = 0x6000,
		.offset = 16,
		.class_ns = { [TIME_FAULT] = 60, [TIME_UNKNOWN] = 30 },
	};
	struct pack written = pack_to_write();
	struct pack pack;

	call_site_pack(&written, &site, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	site = (struct call_site){ 0 };
	call_site_pack(&pack, &site, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(site.purpose, purposes[_i]);
	ck_assert_uint_eq(site.address, 0x5000);
	ck_assert_uint_eq(site.caller, FUNCTION_NONE);
	ck_assert_uint_eq(site.function, FUNCTIONS - 1);
	ck_assert_uint_eq(site.caller_address, 0x6000);
	ck_assert_uint_eq(site.offset, 16);
	ck_assert_uint_eq(site.entries, 1);
	ck_assert_uint_eq(site.class_ns[TIME_FAULT], 60);
	ck_assert_uint_eq(site.class_ns[TIME_USER], 0);
	ck_assert_uint_eq(site.class_ns[TIME_UNKNOWN], 30);
	check_damaged(&written, read_site);
}
END_TEST

START_TEST(a_hit_comes_back)
{
	char text[] = "read(3) = 1\n    10 us\n\n";
	struct hit_call call = {
		.is_known = true,
		.function = 5,
		.times = { .ns = { [CALL_WALL] = 70, [CALL_ASLEEP] = 40 } },
		.text = text,
		.typical = { .ns = { [CALL_WALL] = 7 } },
		.others = 12,
	};
	struct pack written = pack_to_write();
	struct pack pack;

	hit_call_pack(&written, &call, FUNCTIONS);
	pack = pack_to_read(written.out.bytes, written.out.size);
	call = (struct hit_call){ .is_known = true };
	hit_call_pack(&pack, &call, FUNCTIONS);
	ck_assert(pack_is_whole(&pack));
	ck_assert_uint_eq(call.function, 5);
	ck_assert_uint_eq(call.times.ns[CALL_WALL], 70);
	ck_assert_uint_eq(call.times.ns[CALL_ASLEEP], 40);
	ck_assert_uint_eq(call.typical.ns[CALL_WALL], 7);
	ck_assert_uint_eq(call.others, 12);
	ck_assert_str_eq(call.text, text);
	free(call.text);
	check_damaged(&written, read_hit);
}
END_TEST

START_TEST(a_crash_comes_back)
{
	char signal[] = "SIGILL (invalid instruction)";
	char stack[] = "main;poke;asm_exc_invalid_op";
	char calls[] = "";
	struct crash crash = { .pid = 7,
			       .tid = 8,
			       .time_ns = 5000,
			       .sender_pid = 6,
			       .signal = signal,
			       .stack = stack,
			       .calls = calls };
	struct pack written = pack_to_write();
	struct pack pack;

	crash_pack(&written, &crash);
	pack = pack_to_read(written.out.bytes, written.out.size);
	crash = (struct crash){ 0 };
	crash_pack(&pack, &crash);
	ck_assert(pack_is_whole(&pack));
	ck_assert_int_eq(crash.pid, 7);
	ck_assert_int_eq(crash.tid, 8);
	ck_assert_uint_eq(crash.time_ns, 5000);
	ck_assert_int_eq(crash.sender_pid, 6);
	ck_assert_str_eq(crash.signal, signal);
	ck_assert_str_eq(crash.stack, stack);
	ck_assert_str_eq(crash.calls, "");
	crash_free(&crash);
	check_damaged(&written, read_crash);
}
END_TEST

SUITE("event_records")
{
	TEST_TIMES(an_entry_comes_back, 3);
	TEST(a_hit_comes_back);
	TEST(a_crash_comes_back);
}
