/* SPDX-License-Identifier: MIT */
/* Matches the two sides of requests between machines. */
#include "store/ask/store_requests.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum { MOST_SIDES = 4, NO_CLOCK = -1, NO_POSITION = -1 };

/* A side of a request: the client's port, begin and end, the clock's maximum
 * error (or NO_CLOCK), and its position in the stream (or NO_POSITION); port 0:
 * none.
 */
struct side {
	int64_t port;
	int64_t begin_ns;
	int64_t end_ns;
	int64_t error_ns;
	int64_t position;
};

/* The expected result for each client's side, in order: the index of the
 * server's side it is joined with, "a" and the number of candidates if
 * ambiguous, "c" if a clock is missing, or "-".
 */
static const struct {
	const char *title;
	struct side clients[MOST_SIDES];
	struct side servers[MOST_SIDES];
	const char *pairs;
} cases[] = {
	{ "within its time",
	  { { 1, 100, 200, 0, 0 } },
	  { { 1, 110, 190, 0, 0 } },
	  "0" },
	{ "another connection",
	  { { 1, 100, 200, 0, 0 } },
	  { { 2, 110, 190, 0, 0 } },
	  "-" },
	{ "it begins too early for these clocks",
	  { { 1, 100, 200, 5, 0 } },
	  { { 1, 90, 190, 4, 0 } },
	  "-" },
	{ "it begins as early as these clocks allow",
	  { { 1, 100, 200, 5, 0 } },
	  { { 1, 90, 190, 5, 0 } },
	  "0" },
	{ "it ends too late for these clocks",
	  { { 1, 100, 200, 5, 0 } },
	  { { 1, 110, 210, 4, 0 } },
	  "-" },
	{ "one after the other",
	  { { 1, 100, 200, 1, NO_POSITION }, { 1, 300, 400, 1, NO_POSITION } },
	  { { 1, 310, 390, 1, NO_POSITION }, { 1, 110, 190, 1, NO_POSITION } },
	  "1 0" },
	{ "clocks do not tell which",
	  { { 1, 100, 200, 90, NO_POSITION },
	    { 1, 300, 400, 90, NO_POSITION } },
	  { { 1, 210, 290, 90, NO_POSITION } },
	  "a1 a1" },
	{ "the place in the stream does",
	  { { 1, 100, 200, 900, 0 }, { 1, 300, 400, 900, 16 } },
	  { { 1, 210, 290, 90, 16 }, { 1, 110, 190, 90, 0 } },
	  "1 0" },
	{ "another place in the stream",
	  { { 1, 100, 200, 0, 16 } },
	  { { 1, 110, 190, 0, 0 } },
	  "-" },
	{ "one of two servers' sides has a place",
	  { { 1, 100, 200, 900, 16 } },
	  { { 1, 110, 190, 90, NO_POSITION }, { 1, 110, 190, 90, 16 } },
	  "a2" },
	{ "a server without a clock",
	  { { 1, 100, 200, 0, 0 } },
	  { { 1, 110, 190, NO_CLOCK, 0 } },
	  "c" },
	{ "a client without a clock, and one of another connection",
	  { { 1, 100, 200, NO_CLOCK, 0 }, { 2, 100, 200, 0, 0 } },
	  { { 1, 110, 190, 0, 0 } },
	  "c -" },
	{ "nothing recorded there", { { 1, 100, 200, 0, 0 } }, { { 0 } }, "-" },
	{ "nobody asked", { { 0 } }, { { 1, 100, 200, 0, 0 } }, "" },
};

static void add_all(struct array *halves, const struct side *sides,
		    int64_t recording)
{
	*halves = ARRAY_OF(struct request_half);
	for (size_t i = 0; i < MOST_SIDES && sides[i].port; i++) {
		struct request_half *half = array_add(halves);

		ck_assert_ptr_nonnull(half);
		*half = (struct request_half){
			.client_address = "10.9.0.1",
			.server_address = "10.9.0.2",
			.client_port = sides[i].port,
			.server_port = 80,
			.recording = recording,
			.has_clock = sides[i].error_ns != NO_CLOCK,
			.begin_ns = sides[i].begin_ns,
			.end_ns = sides[i].end_ns,
			.error_ns = sides[i].error_ns,
			.has_position = sides[i].position != NO_POSITION,
			.position = sides[i].position,
			.row = i,
		};
	}
}

static void write_pair(const struct request_pair *pair, char text[8])
{
	switch (pair->status) {
	case PAIR_JOINED:
		ck_assert_uint_eq(pair->fits, 1);
		snprintf(text, 8, "%zu", pair->server->row);
		return;
	case PAIR_AMBIGUOUS:
		snprintf(text, 8, "a%zu", pair->fits);
		break;
	case PAIR_CLOCKLESS:
		strcpy(text, "c");
		break;
	case PAIR_ALONE:
		strcpy(text, "-");
		break;
	case PAIR_STATUSES:
		ck_abort();
	}
	ck_assert_ptr_null(pair->server);
}

static void check_case(const struct array *pairs, const char *wanted)
{
	char texts[MOST_SIDES][8] = { "" };
	char text[9 * MOST_SIDES] = "";
	size_t size = 0;

	for (size_t i = 0; i < pairs->count; i++) {
		const struct request_pair *pair = array_at(pairs, i);

		write_pair(pair, texts[pair->client->row]);
	}
	for (size_t i = 0; i < pairs->count; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size,
					 "%s%s", i ? " " : "", texts[i]);
	ck_assert_str_eq(text, wanted);
}

static void find(int index, int64_t recording, const char *wanted)
{
	struct array pairs = ARRAY_OF(struct request_pair);
	struct array clients;
	struct array servers;

	add_all(&clients, cases[index].clients, 1);
	add_all(&servers, cases[index].servers, recording);
	ck_assert_int_eq(request_pairs_find(&clients, &servers, &pairs), 0);
	ck_assert_uint_eq(pairs.count, clients.count);
	check_case(&pairs, wanted);
	array_free(&pairs);
	array_free(&clients);
	array_free(&servers);
}

START_TEST(sides_that_fit_nothing_else_are_joined)
{
	find(_i, 2, cases[_i].pairs);
}
END_TEST

/* If both sides were in one recording the request would be one row. */
START_TEST(a_recording_is_not_its_own_other_side)
{
	find(0, 1, "-");
}
END_TEST

SUITE("request_pairs")
{
	TEST_EACH(sides_that_fit_nothing_else_are_joined, cases);
	TEST(a_recording_is_not_its_own_other_side);
}
