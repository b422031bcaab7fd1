/* SPDX-License-Identifier: MIT */
/* A server and its two clients, for attribution_servers.sh: "servers pipe",
 * "unix", "udp" or "many" selects the transport of requests; many are two
 * pipes. Requests of "early" use a pipe as well, and the first two are sent
 * before the server reads. A request is the number of KiB the server is to
 * read; "big" requests 240 eight times and "small" 8 eight times, alternately.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { US = 1000, S = 1000000000, TIMES = 8, CLIENTS = 2, END = 0 };

/* Clients send by the clock, so that their requests never overlap. */
enum { START = 3000 * US, PERIOD = 3000 * US };

static const struct {
	const char *name;
	unsigned char kib;
	long delay_ns;
} clients[CLIENTS] = { { "big", 240, 0 }, { "small", 8, PERIOD / 2 } };

/* Inputs and outputs for requests; answers use pipes. */
struct channel {
	int in[CLIENTS];
	int out[CLIENTS];
	int answers[CLIENTS][2];
};

static void check(long result)
{
	if (result >= 0)
		return;
	perror("servers");
	exit(1);
}

static void sleep_until(struct timespec start, long ns)
{
	start.tv_nsec += ns;
	start.tv_sec += start.tv_nsec / S;
	start.tv_nsec %= S;
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &start, NULL);
}

static void share(struct channel *channel, int in, int out)
{
	for (int i = 0; i < CLIENTS; i++) {
		channel->in[i] = in;
		channel->out[i] = out;
	}
}

static void open_pipe(struct channel *channel)
{
	int ends[2];

	check(pipe(ends));
	share(channel, ends[1], ends[0]);
}

static void open_unix(struct channel *channel)
{
	int ends[2];

	check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	share(channel, ends[1], ends[0]);
}

static void open_udp(struct channel *channel)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t size = sizeof(address);
	int in = socket(AF_INET, SOCK_DGRAM, 0);
	int out = socket(AF_INET, SOCK_DGRAM, 0);

	check(bind(out, (struct sockaddr *)&address, size));
	check(getsockname(out, (struct sockaddr *)&address, &size));
	check(connect(in, (struct sockaddr *)&address, size));
	share(channel, in, out);
}

static void open_many(struct channel *channel)
{
	int ends[2];

	for (int i = 0; i < CLIENTS; i++) {
		check(pipe(ends));
		channel->in[i] = ends[1];
		channel->out[i] = ends[0];
	}
}

/* Waits for the next request, on both inputs if there are two. */
static unsigned char take(const struct channel *channel)
{
	struct pollfd ways[CLIENTS] = {
		{ .fd = channel->out[0], .events = POLLIN },
		{ .fd = channel->out[1], .events = POLLIN },
	};
	unsigned char kib;
	int from = channel->out[0];

	if (channel->out[0] != channel->out[1]) {
		check(poll(ways, CLIENTS, -1));
		from = ways[0].revents ? ways[0].fd : ways[1].fd;
	}
	check(read(from, &kib, 1));
	return kib;
}

static void serve(const struct channel *channel, long begin_ns,
		  struct timespec start)
{
	static char buffer[256 << 10];
	int zero = open("/dev/zero", O_RDONLY);
	unsigned char kib;

	prctl(PR_SET_NAME, "server");
	/* Its memory is resident before the first request. */
	memset(buffer, 1, sizeof(buffer));
	if (begin_ns)
		sleep_until(start, begin_ns);
	while ((kib = take(channel)) != END) {
		int client = kib == clients[0].kib ? 0 : 1;

		check(read(zero, buffer, (size_t)kib << 10));
		check(write(channel->answers[client][1], &kib, 1));
	}
	_exit(0);
}

/* Keeps others from running between a client's send and its sleep: the answer
 * always wakes a sleeping client, and nothing has to be inferred.
 */
static void come_first(void)
{
	const struct sched_param priority = { .sched_priority = 1 };

	check(sched_setscheduler(0, SCHED_FIFO, &priority));
}

static void ask(const struct channel *channel, int client,
		struct timespec start)
{
	unsigned char kib = clients[client].kib;
	long time_ns = START + clients[client].delay_ns;

	come_first();
	prctl(PR_SET_NAME, clients[client].name);
	for (int i = 0; i < TIMES; i++) {
		sleep_until(start, time_ns + (long)i * PERIOD);
		check(write(channel->in[client], &kib, 1));
		check(read(channel->answers[client][0], &kib, 1));
	}
	/* The server sleeps again before it is asked to end. */
	sleep_until(start, time_ns + (long)TIMES * PERIOD);
	_exit(0);
}

static const struct {
	const char *name;
	void (*open)(struct channel *channel);
	long begin_ns; /* when the server begins to read */
} cases[] = {
	{ "pipe", open_pipe, 0 },
	{ "unix", open_unix, 0 },
	{ "udp", open_udp, 0 },
	{ "many", open_many, 0 },
	{ "early", open_pipe, START + PERIOD * 3 / 4 },
};

static void run(void (*open_channel)(struct channel *channel), long begin_ns)
{
	const unsigned char end = END;
	struct timespec start;
	struct channel channel;

	open_channel(&channel);
	for (int i = 0; i < CLIENTS; i++)
		check(pipe(channel.answers[i]));
	check(clock_gettime(CLOCK_MONOTONIC, &start));
	if (!fork())
		serve(&channel, begin_ns, start);
	for (int i = 0; i < CLIENTS; i++)
		if (!fork())
			ask(&channel, i, start);
	for (int i = 0; i < CLIENTS; i++)
		wait(NULL);
	check(write(channel.in[0], &end, 1));
	wait(NULL);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (argc == 2 && !strcmp(cases[i].name, argv[1])) {
			run(cases[i].open, cases[i].begin_ns);
			return 0;
		}
	}
	fprintf(stderr, "servers: what?\n");
	return 2;
}
