/* SPDX-License-Identifier: MIT */
#include "store/ask/request_halves.h"

#include "common/error.h"
#include "store/ask/measure_query.h"
#include "store/ask/recording_filter.h"
#include "store/ask/request_pairs.h"
#include "store/target/store_target.h"

#include <sqlite3.h>

#include <string.h>

/* adjtimex(2): the clock is not synchronised. */
enum { UNSYNCHRONISED = 0x40 };

/* The columns of a side: its thread and the parts of its time. */
static const char client_columns[] =
	"client_comm AS thread_comm, client_tid AS thread_tid";
static const char server_columns[] = "comm AS thread_comm, tid AS thread_tid";
static const char client_parts[] = "client_ns, client_wait_ns, remote_ns";
static const char server_parts[] =
	"queue_ns, runnable_ns, kernel_ns, user_ns, interrupt_ns, tracer_ns, "
	"guest_ns, asleep_ns, downstream_ns, unknown_ns";

static void append_query(bool is_client, sqlite3_str *query)
{
	const char *parts = is_client ? client_parts : server_parts;

	sqlite3_str_appendf(
		query,
		"SELECT client_address, client_port, server_address, "
		"server_port, recording, request_id, begin_ns, wall_ns, "
		"stream_position, thread_comm, thread_tid, host, clock, "
		"clock_begin_offset_ns, begin_error_ns, clock_begin_status, "
		"clock_end_offset_ns, end_error_ns, clock_end_status, %s FROM "
		"(SELECT recording, id AS request_id, client_address, "
		"client_port, server_address, server_port, begin_ns, wall_ns, "
		"stream_position, %s, %s FROM request "
		"WHERE side = '%s' AND is_answered = 1) AS r JOIN "
		"(SELECT recording, host, clock, clock_begin_offset_ns, "
		"clock_begin_bracket_ns + clock_begin_maxerror_ns AS "
		"begin_error_ns, clock_begin_status, clock_end_offset_ns, "
		"clock_end_bracket_ns + clock_end_maxerror_ns AS "
		"end_error_ns, clock_end_status FROM recording WHERE 1 = 1",
		parts, is_client ? client_columns : server_columns, parts,
		is_client ? "client" : "server");
}

/* Sets the uncertainty of a clock that was read at the start of the recording
 * and, unless it was cut off, at its end: the larger error of both readings
 * plus the adjustment in between.
 */
static void read_clock(const struct answer *rows, size_t row,
		       struct request_half *half)
{
	int64_t offset_ns = answer_number(rows, row, HALF_BEGIN_OFFSET);
	int64_t end_error_ns = answer_number(rows, row, HALF_END_ERROR);
	int64_t moved_ns =
		answer_at(rows, row, HALF_END_OFFSET)->is_null ?
			0 :
			answer_number(rows, row, HALF_END_OFFSET) - offset_ns;
	int64_t status = answer_number(rows, row, HALF_BEGIN_STATUS) |
			 answer_number(rows, row, HALF_END_STATUS);

	half->has_clock = !answer_at(rows, row, HALF_BEGIN_OFFSET)->is_null &&
			  !(status & UNSYNCHRONISED) &&
			  !strcmp(answer_text(rows, row, HALF_CLOCK), "ns");
	half->error_ns = answer_number(rows, row, HALF_BEGIN_ERROR);
	if (end_error_ns > half->error_ns)
		half->error_ns = end_error_ns;
	half->error_ns += moved_ns < 0 ? -moved_ns : moved_ns;
	half->begin_ns = answer_number(rows, row, HALF_BEGIN) + offset_ns;
	half->end_ns = half->begin_ns + answer_number(rows, row, HALF_WALL);
}

static int read_rows(struct request_halves *halves)
{
	const struct answer *rows = &halves->rows;

	for (size_t i = 0; i < answer_rows(rows); i++) {
		struct request_half *half = array_add(&halves->halves);

		if (!half)
			return -ERROR_MEMORY;
		*half = (struct request_half){
			.client_address =
				answer_text(rows, i, HALF_CLIENT_ADDRESS),
			.server_address =
				answer_text(rows, i, HALF_SERVER_ADDRESS),
			.client_port = answer_number(rows, i, HALF_CLIENT_PORT),
			.server_port = answer_number(rows, i, HALF_SERVER_PORT),
			.recording = answer_number(rows, i, HALF_RECORDING),
			.has_position =
				!answer_at(rows, i, HALF_POSITION)->is_null,
			.position = answer_number(rows, i, HALF_POSITION),
			.row = i,
		};
		read_clock(rows, i, half);
	}
	return 0;
}

int request_halves_ask(struct store_target *target, bool is_client,
		       const struct array *recordings,
		       struct request_halves *halves)
{
	sqlite3_str *query = sqlite3_str_new(NULL);
	int error;

	halves->halves = ARRAY_OF(struct request_half);
	append_query(is_client, query);
	if (recordings)
		recording_filter_append(recordings, target, query);
	sqlite3_str_appendall(query, ") AS o USING (recording) ORDER BY "
				     "recording, request_id");
	error = measure_query_ask(target, query, &halves->rows);
	return error ? error : read_rows(halves);
}

void request_halves_free(struct request_halves *halves)
{
	answer_free(&halves->rows);
	array_free(&halves->halves);
}
