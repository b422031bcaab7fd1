/* SPDX-License-Identifier: MIT */
/* Access control of the page's server, and its answers. */
#include "tests/fixtures/view.h"
#include "tests/run_suite.h"
#include "view/http/server.h"
#include "view/page/page.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct place {
	char host[64]; /* "127.0.0.1:4711" */
	char token[64];
	uint16_t port;
};

static struct place place_of(const struct view_server *server)
{
	struct place place = { 0 };

	ck_assert_int_eq(sscanf(view_server_address(server),
				"http://%63[^/]/%63[0-9a-f]/", place.host,
				place.token),
			 2);
	place.port = (uint16_t)atoi(strchr(place.host, ':') + 1);
	return place;
}

/* Returns the server's answer to @request; the caller frees it. */
static char *ask(const struct place *place, const char *request)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(place->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	char *reply = calloc(1, 1 << 20);
	size_t size = 0;
	ssize_t part;

	ck_assert_int_eq(
		connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(write(fd, request, strlen(request)),
			 (ssize_t)strlen(request));
	while ((part = read(fd, reply + size, (1 << 20) - 1 - size)) > 0)
		size += (size_t)part;
	close(fd);
	return reply;
}

/* %T is the token, %H the host, %W a token that is wrong in its last letter. */
static const struct {
	const char *request;
	int status;
	const char *has;
} cases[] = {
	{ "GET /%T/ HTTP/1.1\r\nHost: %H", 200, "<!DOCTYPE html>" },
	{ "GET /%T/ HTTP/1.1\r\nHost: %H", 200,
	  "Content-Security-Policy: default-src 'none'; script-src 'nonce-" },
	{ "GET /%T/data/tracks?tracks=2 HTTP/1.1\r\nHost: %H", 200,
	  "{\"is_whole\":" },
	{ "GET /%T/data/functions?like=alert HTTP/1.1\r\nHost: %H", 200,
	  "\\u003c/script>" },
	{ "GET /%T/data/tracks?tracks=x HTTP/1.1\r\nHost: %H", 400, "error" },
	{ "GET /%T/data/nothing HTTP/1.1\r\nHost: %H", 404, "error" },
	{ "GET /%T/../../etc/passwd HTTP/1.1\r\nHost: %H", 404, "" },
	{ "GET /%T HTTP/1.1\r\nHost: %H", 404, "" },
	{ "GET / HTTP/1.1\r\nHost: %H", 403, "not the address" },
	{ "GET /%W/ HTTP/1.1\r\nHost: %H", 403, "not the address" },
	{ "GET /%W/data/tracks?tracks=2 HTTP/1.1\r\nHost: %H", 403, "" },
	{ "GET /%Tx/ HTTP/1.1\r\nHost: %H", 403, "" },
	{ "GET /%T/ HTTP/1.1\r\nHost: evil.example", 403, "" },
	{ "GET /%T/ HTTP/1.1\r\nHost: %H.evil.example", 403, "" },
	{ "GET /%T/data/tracks?tracks=2 HTTP/1.0", 403, "" },
	{ "POST /%T/data/tracks?tracks=2 HTTP/1.1\r\nHost: %H\r\n"
	  "Content-Length: 0",
	  405, "" },
	{ "OPTIONS /%T/ HTTP/1.1\r\nHost: %H", 405, "" },
};

static void fill_in(const char *from, const struct place *place, char *to)
{
	for (; *from; from++) {
		size_t used = strlen(to);

		if (*from != '%') {
			to[used] = *from;
			continue;
		}
		from++;
		strcat(to, *from == 'H' ? place->host : place->token);
		if (*from == 'W')
			to[strlen(to) - 1] ^= 1;
	}
	strcat(to, "\r\nConnection: close\r\n\r\n");
}

START_TEST(only_requests_with_the_secret_address_are_answered)
{
	struct view_fixture fixture;
	struct view_server *server;
	struct place place;
	char request[512] = { 0 };
	char *reply;

	view_fixture_begin(&fixture);
	server = view_server_start(&fixture.sources, 0);
	ck_assert_ptr_nonnull(server);
	place = place_of(server);
	fill_in(cases[_i].request, &place, request);
	reply = ask(&place, request);
	ck_assert_int_eq(atoi(reply + strlen("HTTP/1.1 ")), cases[_i].status);
	ck_assert_msg(strstr(reply, cases[_i].has), "%s", reply);
	ck_assert_ptr_nonnull(strstr(reply, "nosniff"));
	ck_assert_ptr_null(strstr(reply, "<script>alert"));
	free(reply);
	view_server_stop(server);
	view_fixture_end(&fixture);
}
END_TEST

/* Opens a connection that sends @bytes and waits. */
static int open_idle(const struct place *place, const char *bytes)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(place->port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(
		connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	ck_assert_int_eq(send(fd, bytes, strlen(bytes), MSG_NOSIGNAL),
			 (ssize_t)strlen(bytes));
	return fd;
}

/* Clients that never complete a request; some have sent a part of one.
 */
START_TEST(idle_connections_do_not_block_others)
{
	enum { IDLE = 200 };
	struct view_fixture fixture;
	struct view_server *server;
	struct place place;
	int idle[IDLE];
	char request[256];
	char *reply;

	view_fixture_begin(&fixture);
	server = view_server_start(&fixture.sources, 0);
	ck_assert_ptr_nonnull(server);
	place = place_of(server);
	for (int i = 0; i < IDLE; i++)
		idle[i] = open_idle(&place, i % 2 ? "GET /" : "");
	snprintf(request, sizeof(request),
		 "GET /%s/ HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		 place.token, place.host);
	reply = ask(&place, request);
	ck_assert_ptr_nonnull(strstr(reply, "<!DOCTYPE html>"));
	free(reply);
	for (int i = 0; i < IDLE; i++)
		close(idle[i]);
	view_server_stop(server);
	view_fixture_end(&fixture);
}
END_TEST

START_TEST(a_token_is_random)
{
	struct view_token first;
	struct view_token second;

	ck_assert(view_token_make(&first) && view_token_make(&second));
	ck_assert_uint_eq(strlen(first.text), 32);
	ck_assert_str_ne(first.text, second.text);
	ck_assert(view_token_fits(&first, first.text));
	ck_assert(!view_token_fits(&first, second.text));
	ck_assert(!view_token_fits(&first, ""));
}
END_TEST

SUITE("view_server")
{
	TEST_EACH(only_requests_with_the_secret_address_are_answered, cases);
	TEST(idle_connections_do_not_block_others);
	TEST(a_token_is_random);
}
