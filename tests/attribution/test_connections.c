/* SPDX-License-Identifier: MIT */
/* TCP connections from the kernel's events. */
#include "attribution/events/known_events.h"
#include "attribution/requests/connections_internal.h"
#include "attribution/requests/request.h"
#include "tests/run_suite.h"

#include <check.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint8_t address[16];
	uint16_t port;
	const char *text;
} written[] = {
	{ { [10] = 0xff, [11] = 0xff, 10, 9, 0, 1 }, 80, "10.9.0.1:80" },
	{ { [10] = 0xff, [11] = 0xff, 255, 255, 255, 255 },
	  65535,
	  "255.255.255.255:65535" },
	{ { 0xfe, 0x80, [15] = 1 }, 443, "[fe80::1]:443" },
	{ { 0x20, 0x01, 0x0d, 0xb8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff },
	  65535,
	  "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535" },
};

START_TEST(ends_have_a_text)
{
	struct endpoint endpoint = { .port = written[_i].port };
	char text[ENDPOINT_TEXT_SIZE];

	memcpy(endpoint.address, written[_i].address, sizeof(endpoint.address));
	ck_assert_str_eq(endpoint_text(&endpoint, text), written[_i].text);
}
END_TEST

/* Sends a state change of @socket, on the host with this last byte. */
static struct event_record state_of(int64_t socket, uint8_t host,
				    int64_t old_state, int64_t new_state)
{
	struct event_record event = {
		.event = EVENT_SOCKET_STATE,
		.values = {
			[SOCKET_ADDRESS] = socket,
			[SOCKET_PROTOCOL] = IPPROTO_TCP,
			[SOCKET_OLD_STATE] = old_state,
			[SOCKET_NEW_STATE] = new_state,
			[SOCKET_LOCAL_PORT] = host == 1 ? 40000 : 80,
			[SOCKET_REMOTE_PORT] = host == 1 ? 80 : 40000,
		},
	};
	uint8_t local[16] = { [10] = 0xff, [11] = 0xff, 10, 9, 0, host };
	uint8_t remote[16] = { [10] = 0xff, [11] = 0xff, 10, 9, 0, 3 - host };

	memcpy(&event.values[SOCKET_LOCAL], local, sizeof(local));
	memcpy(&event.values[SOCKET_REMOTE], remote, sizeof(remote));
	return event;
}

static void consume(struct connections *connections, struct event_record event)
{
	ck_assert_int_eq(connections_consume(connections, &event), 0);
}

START_TEST(a_connection_is_known_when_it_is_established)
{
	struct connections *connections = connections_new();
	const struct connection_state *state;
	char text[ENDPOINT_TEXT_SIZE];

	ck_assert_ptr_nonnull(connections);
	consume(connections, state_of(70, 1, TCP_CLOSE, TCP_SYN_SENT));
	ck_assert_ptr_null(connections_find(connections, 70));
	consume(connections, state_of(70, 1, TCP_SYN_SENT, TCP_ESTABLISHED));
	state = connections_far(connections, 70);
	ck_assert_ptr_nonnull(state);
	ck_assert(state->is_whole && !state->connection.is_server);
	ck_assert_str_eq(endpoint_text(connection_client(&state->connection),
				       text),
			 "10.9.0.1:40000");
	ck_assert_str_eq(endpoint_text(connection_server(&state->connection),
				       text),
			 "10.9.0.2:80");
	connections_free(connections);
}
END_TEST

START_TEST(other_protocols_make_no_connection)
{
	struct connections *connections = connections_new();
	struct event_record event =
		state_of(70, 1, TCP_SYN_SENT, TCP_ESTABLISHED);

	event.values[SOCKET_PROTOCOL] = IPPROTO_SCTP;
	consume(connections, event);
	ck_assert_ptr_null(connections_find(connections, 70));
	connections_free(connections);
}
END_TEST

START_TEST(an_end_whose_other_end_is_here_is_not_far)
{
	struct connections *connections = connections_new();

	consume(connections, state_of(70, 1, TCP_SYN_SENT, TCP_ESTABLISHED));
	consume(connections, state_of(80, 2, TCP_SYN_RECV, TCP_ESTABLISHED));
	ck_assert(connections_find(connections, 80)->connection.is_server);
	ck_assert_ptr_null(connections_far(connections, 70));
	ck_assert_ptr_null(connections_far(connections, 80));
	connections_free(connections);
}
END_TEST

static void check_listed(const struct connections *connections, uint64_t socket,
			 bool is_server, const char *local, const char *remote)
{
	const struct connection_state *state =
		connections_find(connections, socket);
	char text[ENDPOINT_TEXT_SIZE];

	ck_assert_ptr_nonnull(state);
	ck_assert(!state->is_whole);
	ck_assert(state->connection.is_server == is_server);
	ck_assert_str_eq(endpoint_text(&state->connection.local, text), local);
	ck_assert_str_eq(endpoint_text(&state->connection.remote, text),
			 remote);
}

/* The kernel reuses a socket's address, for a connection with other endpoints.
 */
START_TEST(an_address_that_is_used_again_is_another_connection)
{
	struct connections *connections = connections_new();
	struct event_record other =
		state_of(80, 2, TCP_SYN_RECV, TCP_ESTABLISHED);

	consume(connections, state_of(70, 1, TCP_SYN_SENT, TCP_ESTABLISHED));
	consume(connections, state_of(80, 2, TCP_SYN_RECV, TCP_ESTABLISHED));
	connections_find(connections, 80)->taken_bytes = 5;
	other.values[SOCKET_REMOTE_PORT] = 40001;
	consume(connections, other);
	ck_assert_uint_eq(connections_find(connections, 80)->taken_bytes, 0);
	ck_assert_ptr_nonnull(connections_far(connections, 80));
	ck_assert_ptr_nonnull(connections_far(connections, 70));
	connections_free(connections);
}
END_TEST

START_TEST(a_closed_connection_has_no_server)
{
	struct connections *connections = connections_new();
	struct request *request = calloc(1, sizeof(*request));

	ck_assert_ptr_nonnull(request);
	request->references = 1;
	consume(connections, state_of(70, 1, TCP_SYN_SENT, TCP_ESTABLISHED));
	connections_find(connections, 70)->request = request_refer(request);
	consume(connections, state_of(70, 1, TCP_ESTABLISHED, TCP_FIN_WAIT1));
	ck_assert(!request->is_ended);
	consume(connections, state_of(70, 1, TCP_FIN_WAIT2, TCP_CLOSE));
	ck_assert(request->is_ended);
	ck_assert_uint_eq(request->references, 1);
	ck_assert_ptr_null(connections_find(connections, 70)->request);
	request_drop(request);
	connections_free(connections);
}
END_TEST

/* Connections older than the recording: their byte count is unknown. */
START_TEST(a_list_of_older_connections_is_read)
{
	static const char path[] = "sockets";
	struct connections *connections = connections_new();
	FILE *out = fopen(path, "w");

	ck_assert_ptr_nonnull(out);
	fputs("ffff888005615f00 server 10.9.0.1 5555 10.9.0.2 57938\n"
	      "no line of a list\n"
	      "ffff888005615f01 neither 10.9.0.1 5555 10.9.0.2 57938\n"
	      "ffff888005615f02 client 10.9.0.300 5555 10.9.0.2 57938\n"
	      "70 client ::1 33458 fe80::2 80",
	      out);
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_int_eq(connections_add_file(connections, path), 0);
	check_listed(connections, 0xffff888005615f00, true, "10.9.0.1:5555",
		     "10.9.0.2:57938");
	check_listed(connections, 0x70, false, "[::1]:33458", "[fe80::2]:80");
	ck_assert_ptr_null(connections_find(connections, 0xffff888005615f01));
	ck_assert_ptr_null(connections_find(connections, 0xffff888005615f02));
	ck_assert_int_eq(connections_add_file(connections, "none"), 0);
	connections_free(connections);
	ck_assert_int_eq(remove(path), 0);
}
END_TEST

SUITE("connections")
{
	TEST_EACH(ends_have_a_text, written);
	TEST(a_connection_is_known_when_it_is_established);
	TEST(other_protocols_make_no_connection);
	TEST(an_end_whose_other_end_is_here_is_not_far);
	TEST(an_address_that_is_used_again_is_another_connection);
	TEST(a_closed_connection_has_no_server);
	TEST(a_list_of_older_connections_is_read);
}
