/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "serve/serve_message.h"
#include "tests/run_suite.h"

#include <string.h>

static struct serve_trace good_trace(void)
{
	return (struct serve_trace){
		.head = serve_head_of(SERVE_TRACE),
		.tid = 7,
		.buffer_bytes = 1 << 20,
	};
}

START_TEST(a_request_is_unchanged)
{
	const struct serve_trace sent = good_trace();
	struct serve_trace got;

	ck_assert_int_eq(serve_request_read(&sent, sizeof(sent), &got), 0);
	ck_assert_mem_eq(&got, &sent, sizeof(sent));
}
END_TEST

START_TEST(a_request_of_another_version_is_none_that_is_known)
{
	struct serve_trace sent = good_trace();
	struct serve_trace got;

	sent.head.version++;
	ck_assert_int_eq(serve_request_read(&sent, sizeof(sent), &got),
			 -ERROR_UNSUPPORTED);
	/* Only its head is known. */
	ck_assert_int_eq(serve_request_read(&sent, sizeof(sent.head), &got),
			 -ERROR_UNSUPPORTED);
}
END_TEST

/* Each of these damages one field. */
static void wrong_magic(struct serve_trace *trace)
{
	trace->head.magic ^= 1;
}

static void wrong_kind(struct serve_trace *trace)
{
	trace->head.kind = SERVE_KERNEL;
}

static void no_thread(struct serve_trace *trace)
{
	trace->tid = 0;
}

static void negative_thread(struct serve_trace *trace)
{
	trace->tid = -1;
}

static void reserved(struct serve_trace *trace)
{
	trace->reserved = 1;
}

static void small_buffer(struct serve_trace *trace)
{
	trace->buffer_bytes = 1 << 15;
}

static void large_buffer(struct serve_trace *trace)
{
	trace->buffer_bytes = 1ull << 31;
}

static void odd_buffer(struct serve_trace *trace)
{
	trace->buffer_bytes = 3 << 16;
}

static void (*const spoilers[])(struct serve_trace *) = {
	wrong_magic, wrong_kind,   no_thread,	 negative_thread,
	reserved,    small_buffer, large_buffer, odd_buffer,
};

START_TEST(a_wrong_request_is_refused)
{
	struct serve_trace sent = good_trace();
	struct serve_trace got;

	spoilers[_i](&sent);
	ck_assert_int_eq(serve_request_read(&sent, sizeof(sent), &got),
			 -ERROR_FORMAT);
}
END_TEST

START_TEST(a_request_of_another_size_is_refused)
{
	struct serve_trace sent[2] = { good_trace(), good_trace() };
	struct serve_trace got;

	for (size_t size = 0; size <= sizeof(sent); size++)
		if (size != sizeof(sent[0]))
			ck_assert_int_eq(serve_request_read(sent, size, &got),
					 -ERROR_FORMAT);
}
END_TEST

static union serve_reply events_of(enum serve_role role, uint32_t count)
{
	union serve_reply reply = { 0 };

	reply.events.head = serve_head_of(SERVE_EVENTS);
	reply.events.role = role;
	reply.events.count = count;
	return reply;
}

/* The number of descriptors received with a message, and whether it is valid.
 */
static const struct {
	uint32_t role;
	uint32_t count;
	size_t descriptors;
	bool is_good;
} events[] = {
	{ SERVE_CODE, 1, 1, true },
	{ SERVE_CODE, SERVE_PLACES, SERVE_PLACES, true },
	{ SERVE_CODE, SERVE_PLACES + 1, SERVE_PLACES + 1, false },
	{ SERVE_CODE, 2, 1, false },
	{ SERVE_CODE, 0, 0, false },
	{ SERVE_WAKEUPS, 3, 0, true },
	{ SERVE_WAKEUPS, 3, 3, false },
	{ SERVE_PATCHES, 3, 0, true },
	{ SERVE_PATCHES, 3, 3, false },
	{ SERVE_THREAD, 1, 1, true },
	{ SERVE_THREAD, 2, 2, false },
	{ SERVE_ROLES, 1, 1, false },
	{ UINT32_MAX, 1, 1, false },
	{ SERVE_CODE, UINT32_MAX, 1, false },
};

START_TEST(events_have_the_descriptors_that_they_need)
{
	union serve_reply reply = events_of(events[_i].role, events[_i].count);
	size_t size = serve_events_size(&reply.events);

	ck_assert_int_eq(serve_reply_check(&reply, size,
					   events[_i].descriptors),
			 events[_i].is_good ? 0 : -ERROR_FORMAT);
}
END_TEST

START_TEST(events_have_the_places_that_they_count)
{
	union serve_reply reply = events_of(SERVE_CODE, 3);
	size_t size = serve_events_size(&reply.events);

	for (size_t wrong = 0; wrong <= sizeof(reply); wrong++)
		if (wrong != size)
			ck_assert_int_eq(serve_reply_check(&reply, wrong, 3),
					 -ERROR_FORMAT);
}
END_TEST

START_TEST(the_kernel_has_all_of_its_files)
{
	union serve_reply reply = { .head = serve_head_of(SERVE_KERNEL) };
	size_t size = sizeof(reply.head);

	ck_assert_int_eq(serve_reply_check(&reply, size, SERVE_FILES), 0);
	ck_assert_int_eq(serve_reply_check(&reply, size, SERVE_FILES - 1),
			 -ERROR_FORMAT);
	ck_assert_int_eq(serve_reply_check(&reply, size + 1, SERVE_FILES),
			 -ERROR_FORMAT);
}
END_TEST

START_TEST(sums_have_one_file_and_their_request_is_a_head)
{
	union serve_reply reply = { .head = serve_head_of(SERVE_SUMS) };
	size_t size = sizeof(reply.head);
	struct serve_trace got;

	ck_assert_int_eq(serve_reply_check(&reply, size, 1), 0);
	ck_assert_int_eq(serve_reply_check(&reply, size, 0), -ERROR_FORMAT);
	ck_assert_int_eq(serve_reply_check(&reply, size, 2), -ERROR_FORMAT);
	ck_assert_int_eq(serve_reply_check(&reply, size + 1, 1), -ERROR_FORMAT);
	ck_assert_int_eq(serve_request_read(&reply, size, &got), 0);
	ck_assert_uint_eq(got.head.kind, SERVE_SUMS);
	ck_assert_int_eq(serve_request_read(&reply, sizeof(got), &got),
			 -ERROR_FORMAT);
}
END_TEST

/* Refusals by any version, however their text ends. */
START_TEST(a_refusal_can_always_be_read)
{
	union serve_reply reply = { .head = serve_head_of(SERVE_REFUSED) };

	memset(reply.refused.text, 'x', sizeof(reply.refused.text));
	reply.head.version = 99;
	ck_assert_int_eq(serve_reply_check(&reply, sizeof(reply.refused), 0),
			 0);
	ck_assert_uint_eq(strlen(reply.refused.text), SERVE_TEXT - 1);
	ck_assert_int_eq(serve_reply_check(&reply, sizeof(reply.refused) - 1,
					   0),
			 -ERROR_FORMAT);
	reply.head.kind = SERVE_KERNEL;
	ck_assert_int_eq(serve_reply_check(&reply, sizeof(reply.head),
					   SERVE_FILES),
			 -ERROR_UNSUPPORTED);
}
END_TEST

SUITE("serve_message")
{
	TEST(a_request_is_unchanged);
	TEST(a_request_of_another_version_is_none_that_is_known);
	TEST_EACH(a_wrong_request_is_refused, spoilers);
	TEST(a_request_of_another_size_is_refused);
	TEST_EACH(events_have_the_descriptors_that_they_need, events);
	TEST(events_have_the_places_that_they_count);
	TEST(the_kernel_has_all_of_its_files);
	TEST(sums_have_one_file_and_their_request_is_a_head);
	TEST(a_refusal_can_always_be_read);
}
