/* SPDX-License-Identifier: MIT */
/* A web server that logs why its requests were slow: docs/tutorial/slow_web.md.
 *
 *	slow_web PORT FOLDER SLOW_US [REQUESTS]
 *
 * It answers one request at a time: a GET with a file of the folder, a POST by
 * adding a line to the folder's file "orders", which is on the disk before the
 * answer is sent.  It prints a line for each request that took longer than
 * SLOW_US microseconds, and ends after REQUESTS requests.
 */
#include <ktrace_hw.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { REQUEST_BYTES = 1024, PATH_BYTES = 256, CHUNK = 16384, BACKLOG = 16 };

struct request {
	char text[REQUEST_BYTES];
	char path[PATH_BYTES]; /* after the first slash */
	int is_post;
};

/* Reads up to the empty line, which may arrive separately: closing a socket
 * with unread data would discard the answer.
 */
static int read_header(int client, char *text)
{
	size_t size = 0;

	while (!strstr(text, "\r\n\r\n")) {
		ssize_t got =
			read(client, text + size, REQUEST_BYTES - 1 - size);

		if (got <= 0)
			return -1;
		size += (size_t)got;
		text[size] = '\0';
	}
	return 0;
}

static int read_request(int client, struct request *request)
{
	if (read_header(client, request->text))
		return -1;
	request->is_post = !strncmp(request->text, "POST ", 5);
	if (sscanf(request->text, "%*s /%255[^ \r\n/]", request->path) != 1)
		return -1;
	return 0;
}

static void answer(int client, const char *status)
{
	dprintf(client, "HTTP/1.0 %s\r\n\r\n", status);
}

static void send_file(int client, int folder, const char *name)
{
	int file = openat(folder, name, O_RDONLY | O_CLOEXEC);
	char chunk[CHUNK];
	ssize_t size;

	if (file < 0) {
		answer(client, "404 Not Found");
		return;
	}
	answer(client, "200 OK");
	while ((size = read(file, chunk, sizeof(chunk))) > 0)
		if (write(client, chunk, (size_t)size) != size)
			break;
	close(file);
}

static void keep_order(int client, int folder)
{
	int file = openat(folder, "orders",
			  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

	if (file < 0 || dprintf(file, "one more\n") < 0 || fsync(file))
		answer(client, "500 Internal Server Error");
	else
		answer(client, "201 Created");
	if (file >= 0)
		close(file);
}

static void serve(int client, int folder, const struct request *request)
{
	if (request->is_post)
		keep_order(client, folder);
	else
		send_file(client, folder, request->path);
}

static const char *waker_of(const struct ktrace_hw_sleep *sleep)
{
	if (!sleep->waker_count)
		return "?";
	return sleep->wakers[0].tid ? sleep->wakers[0].comm : "an interrupt";
}

/* Prints the longest part of the call: its sleeps at one place, or the CPU. */
static void print_call(const struct ktrace_hw_call *call)
{
	const struct ktrace_hw_sleep *worst = NULL;

	for (size_t i = 0; i < call->sleep_count; i++)
		if (!worst || call->sleeps[i].asleep_ns > worst->asleep_ns)
			worst = &call->sleeps[i];
	printf(" %s %" PRIu64 " us", call->name, call->wall_ns / 1000);
	if (!worst || worst->asleep_ns < call->on_cpu_ns)
		printf(", on CPU %" PRIu64 " us, %" PRIu64 " page faults",
		       call->on_cpu_ns / 1000, call->faults);
	else
		printf(", asleep %" PRIu64 " us in %s, woken by %s",
		       worst->asleep_ns / 1000,
		       worst->channel ? worst->channel : "?", waker_of(worst));
}

/* Prints the line of the log: the request, and its slowest call. */
static void print_slow(const struct request *request,
		       const struct ktrace_hw_record *record)
{
	const struct ktrace_hw_call *slowest = NULL;

	for (size_t i = 0; i < record->call_count; i++)
		if (!slowest || record->calls[i].wall_ns > slowest->wall_ns)
			slowest = &record->calls[i];
	printf("%s /%s: %" PRIu64 " us, %zu calls;",
	       request->is_post ? "POST" : "GET", request->path,
	       record->wall_ns / 1000, record->call_count);
	if (slowest)
		print_call(slowest);
	if (record->gaps)
		printf("; a gap in the trace: %s", record->gap_reason);
	puts("");
	fflush(stdout);
}

static void handle(struct ktrace_hw *k, int client, int folder,
		   uint64_t slow_us)
{
	const struct ktrace_hw_record *record;
	struct request request = { 0 };

	if (read_request(client, &request)) {
		answer(client, "400 Bad Request");
		return;
	}
	ktrace_hw_begin(k);
	serve(client, folder, &request);
	record = ktrace_hw_end(k);
	if (record && record->wall_ns > slow_us * 1000)
		print_slow(&request, record);
}

static int listen_on(uint16_t port)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int yes = 1;

	setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (bind(server, (const struct sockaddr *)&address, sizeof(address)) ||
	    listen(server, BACKLOG))
		return -1;
	return server;
}

int main(int argc, char **argv)
{
	struct ktrace_hw_error error;
	struct ktrace_hw *k;
	int server, folder;
	long requests;

	if (argc < 4) {
		fprintf(stderr, "usage: slow_web PORT FOLDER SLOW_US "
				"[REQUESTS]\n");
		return 2;
	}
	requests = argc > 4 ? atol(argv[4]) : -1;
	server = listen_on((uint16_t)atoi(argv[1]));
	folder = open(argv[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (server < 0 || folder < 0) {
		perror("slow_web");
		return 1;
	}
	k = ktrace_hw_open(NULL, &error);
	if (!k)
		fprintf(stderr, "slow_web: no reasons will be logged: %s\n",
			error.text);
	fprintf(stderr, "slow_web: ready\n");
	while (requests--) {
		int client = accept(server, NULL, NULL);

		if (client < 0)
			continue;
		handle(k, client, folder, strtoull(argv[3], NULL, 10));
		close(client);
	}
	ktrace_hw_close(k);
	return 0;
}
