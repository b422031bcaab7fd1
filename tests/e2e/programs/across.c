/* SPDX-License-Identifier: MIT */
/* A client on one machine and a server on another, by TCP.
 *
 * 	across serve COUNT SLOW MS TRUTH	answers COUNT requests, of which
 * 						each SLOWth takes MS milliseconds
 * 	across ask ADDRESS COUNT US TRUTH	sends two thirds of COUNT requests,
 * 						from two processes, US microseconds
 * 						apart: one keeps its connection, one
 * 						makes a new one for each
 * 	across late ADDRESS COUNT US TRUTH FIFO	sends the other third, by a connection
 * 						that is made at once, when FIFO is
 * 						opened for writing
 * 	across meet [ADDRESS]			waits until the other machine runs it
 * 						too, one without ADDRESS and one with
 *
 * TRUTH has a line for each request: its number, the thread that served or sent
 * it, its start and its end, CLOCK_REALTIME in nanoseconds.
 */
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	PORT = 7400,
	MEETING_PORT,
	MOST_CLIENTS = 16,
	REQUEST_BYTES = 64,
	ANSWER_BYTES = 256
};

/* Each of the processes sends every third request. */
enum { ASKERS = 3 };

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static FILE *truth_open(const char *path)
{
	FILE *truth = fopen(path, "ae");

	if (!truth)
		err(1, "%s", path);
	setvbuf(truth, NULL, _IOLBF, 0);
	return truth;
}

static void send_now(int fd)
{
	const int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

struct server {
	struct pollfd polls[MOST_CLIENTS + 1]; /* the first one listens */
	nfds_t count;
	uint32_t slow;
	useconds_t slow_us;
	FILE *truth;
};

/* Returns whether it answered; else the client is gone. */
static bool answer(const struct server *server, int fd)
{
	uint32_t request[REQUEST_BYTES / sizeof(uint32_t)];
	char bytes[ANSWER_BYTES] = { 0 };
	long long begin_ns;

	if (recv(fd, request, sizeof(request), MSG_WAITALL) != sizeof(request))
		return false;
	begin_ns = now_ns();
	if (request[0] % server->slow == 0)
		usleep(server->slow_us);
	fprintf(server->truth, "%u %d %lld %lld\n", request[0], gettid(),
		begin_ns, now_ns());
	memcpy(bytes, request, sizeof(*request));
	return send(fd, bytes, sizeof(bytes), MSG_NOSIGNAL) == sizeof(bytes);
}

static void take_client(struct server *server)
{
	int fd = accept(server->polls[0].fd, NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	if (server->count > MOST_CLIENTS)
		errx(1, "too many clients");
	send_now(fd);
	server->polls[server->count++] =
		(struct pollfd){ .fd = fd, .events = POLLIN };
}

static int listen_there(uint16_t port)
{
	const struct sockaddr_in in = { .sin_family = AF_INET,
					.sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&in, sizeof(in)) ||
	    listen(fd, MOST_CLIENTS))
		err(1, "port %d", port);
	return fd;
}

static int serve(struct server *server, int left)
{
	server->polls[0] =
		(struct pollfd){ .fd = listen_there(PORT), .events = POLLIN };
	server->count = 1;
	while (left > 0 && poll(server->polls, server->count, -1) > 0) {
		for (nfds_t i = server->count; i-- > 1;) {
			if (!server->polls[i].revents)
				continue;
			if (answer(server, server->polls[i].fd)) {
				left--;
				continue;
			}
			close(server->polls[i].fd);
			server->polls[i] = server->polls[--server->count];
		}
		if (server->polls[0].revents)
			take_client(server);
	}
	return 0;
}

/* The server may not be there yet. */
static int connect_to(const char *address, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	int fd;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1)
		errx(1, "%s is no address", address);
	for (;;) {
		fd = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(fd, (const struct sockaddr *)&in, sizeof(in)))
			break;
		close(fd);
		usleep(20000);
	}
	send_now(fd);
	return fd;
}

static void ask_one(int fd, uint32_t number, FILE *truth)
{
	uint32_t request[REQUEST_BYTES / sizeof(uint32_t)] = { number };
	uint32_t bytes[ANSWER_BYTES / sizeof(uint32_t)];
	long long begin_ns = now_ns();

	if (send(fd, request, sizeof(request), MSG_NOSIGNAL) !=
		    sizeof(request) ||
	    recv(fd, bytes, sizeof(bytes), MSG_WAITALL) != sizeof(bytes) ||
	    bytes[0] != number)
		errx(1, "request %u is not answered", number);
	fprintf(truth, "%u %d %lld %lld\n", number, gettid(), begin_ns,
		now_ns());
}

/* Sends requests by the connection @fd or, if that is -1, by a new one for
 * each.
 */
static void ask(char **argv, uint32_t first, int fd)
{
	FILE *truth = truth_open(argv[5]);
	uint32_t count = (uint32_t)atoi(argv[3]);

	for (uint32_t number = first; number <= count; number += ASKERS) {
		int used = fd < 0 ? connect_to(argv[2], PORT) : fd;

		ask_one(used, number, truth);
		if (fd < 0)
			close(used);
		usleep((useconds_t)atoi(argv[4]));
	}
	fclose(truth);
}

static int ask_both(char **argv)
{
	int status = 1;

	if (!fork()) {
		ask(argv, 1, connect_to(argv[2], PORT));
		_exit(0);
	}
	ask(argv, 2, -1);
	wait(&status);
	return status != 0;
}

static int ask_late(char **argv)
{
	int fd = connect_to(argv[2], PORT);

	if (open(argv[6], O_RDONLY | O_CLOEXEC) < 0)
		err(1, "%s", argv[6]);
	ask(argv, 3, fd);
	return 0;
}

static int meet(const char *address)
{
	int fd = address ? connect_to(address, MEETING_PORT) :
			   accept(listen_there(MEETING_PORT), NULL, NULL);

	if (fd < 0)
		err(1, "accept");
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct server server = { 0 };

	if ((argc == 2 || argc == 3) && !strcmp(argv[1], "meet"))
		return meet(argv[2]);
	if (argc == 6 && !strcmp(argv[1], "ask"))
		return ask_both(argv);
	if (argc == 7 && !strcmp(argv[1], "late"))
		return ask_late(argv);
	if (argc != 6 || strcmp(argv[1], "serve"))
		errx(2,
		     "serve COUNT SLOW MS TRUTH, ask ADDRESS COUNT US TRUTH, late ADDRESS COUNT US TRUTH FIFO, or meet [ADDRESS]");
	server.slow = (uint32_t)atoi(argv[3]);
	server.slow_us = (useconds_t)atoi(argv[4]) * 1000;
	server.truth = truth_open(argv[5]);
	return serve(&server, atoi(argv[2]));
}
