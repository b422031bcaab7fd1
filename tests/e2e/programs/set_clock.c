/* SPDX-License-Identifier: MIT */
/* Sets one machine's clock by another's, as an NTP daemon would: by the
 * shortest of many round trips, half of which is the error that it reports to
 * the kernel (RFC 5905; adjtimex(2)).
 *
 * 	set_clock give DELAY_S		serves this machine's clock to the other
 * 	set_clock take ADDRESS		sets this machine's clock by that of ADDRESS
 *
 * Both write the instant, seconds since 1970, that is DELAY_S after the clocks
 * were set.
 */
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

enum { PORT = 7401, ROUNDS = 200, LEAST_ERROR_US = 10 };

/* An answer; a request is all zeros except, possibly, done. */
struct reading {
	long long done;
	long long now_ns;
};

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void state_error(long error_us)
{
	struct timex clock = {
		.modes = ADJ_STATUS | ADJ_MAXERROR | ADJ_ESTERROR,
		.maxerror = error_us,
		.esterror = error_us,
	};

	if (adjtimex(&clock) < 0)
		err(1, "adjtimex");
}

static int give(int fd, int delay_s)
{
	const struct sockaddr_in in = { .sin_family = AF_INET,
					.sin_port = htons(PORT) };
	struct sockaddr_in from;
	struct reading reading;
	long long until_s = 0;

	if (bind(fd, (const struct sockaddr *)&in, sizeof(in)))
		err(1, "port %d", PORT);
	while (!until_s) {
		socklen_t size = sizeof(from);

		if (recvfrom(fd, &reading, sizeof(reading), 0,
			     (struct sockaddr *)&from,
			     &size) != sizeof(reading))
			continue;
		if (reading.done)
			until_s = now_ns() / 1000000000 + delay_s;
		reading = (struct reading){ until_s, now_ns() };
		/* The last answer has the instant after which the client may
		 * continue. The client sends no more requests, so the answer is
		 * sent several times in case packets are lost.
		 */
		for (int i = 0; i < (until_s ? 10 : 1); i++)
			sendto(fd, &reading, sizeof(reading), 0,
			       (const struct sockaddr *)&from, size);
	}
	state_error(LEAST_ERROR_US);
	printf("%lld\n", until_s);
	return 0;
}

/* Asks once.  Returns the round trip, or -1: there was no answer. */
static long long ask(int fd, struct reading *reading, long long *offset_ns)
{
	long long begin_ns = now_ns();
	long long end_ns;

	if (send(fd, reading, sizeof(*reading), 0) < 0 ||
	    recv(fd, reading, sizeof(*reading), 0) != sizeof(*reading)) {
		usleep(100000);
		return -1;
	}
	end_ns = now_ns();
	*offset_ns = reading->now_ns - (begin_ns + (end_ns - begin_ns) / 2);
	return end_ns - begin_ns;
}

static void set(long long offset_ns, long long trip_ns)
{
	long long ns = now_ns() + offset_ns;
	const struct timespec time = { ns / 1000000000, ns % 1000000000 };

	if (clock_settime(CLOCK_REALTIME, &time))
		err(1, "clock_settime");
	state_error((long)(trip_ns / 2000) + LEAST_ERROR_US);
}

/* Asks ROUNDS times.  Returns the shortest round trip, and its offset. */
static long long ask_often(int fd, long long *best_offset_ns)
{
	struct reading reading;
	long long best_ns = -1;
	long long offset_ns;

	for (int left = ROUNDS; left;) {
		long long trip_ns = ask(
			fd, memset(&reading, 0, sizeof(reading)), &offset_ns);

		left -= trip_ns >= 0;
		if (trip_ns < 0 || (best_ns >= 0 && trip_ns >= best_ns))
			continue;
		best_ns = trip_ns;
		*best_offset_ns = offset_ns;
	}
	return best_ns;
}

/* Sets the clock, and again if it has jumped meanwhile: a machine that goes on
 * from a saved state on a busy host may make up for the time between only
 * later.
 */
static void agree(int fd)
{
	long long offset_ns;
	long long trip_ns = ask_often(fd, &offset_ns);
	long long used_ns;

	do {
		fprintf(stderr, "round trip %lld ns, offset %lld ns\n", trip_ns,
			offset_ns);
		set(offset_ns, trip_ns);
		used_ns = trip_ns;
		trip_ns = ask_often(fd, &offset_ns);
	} while (llabs(offset_ns) > used_ns + trip_ns);
}

static int take(int fd, const char *address)
{
	const struct timeval limit = { .tv_sec = 1 };
	struct sockaddr_in in = { .sin_family = AF_INET,
				  .sin_port = htons(PORT) };
	long long offset_ns;
	struct reading reading;

	if (inet_pton(AF_INET, address, &in.sin_addr) != 1 ||
	    connect(fd, (const struct sockaddr *)&in, sizeof(in)) ||
	    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		err(1, "%s", address);
	agree(fd);
	do {
		reading = (struct reading){ .done = 1 };
	} while (ask(fd, &reading, &offset_ns) < 0 || reading.done < 2);
	printf("%lld\n", reading.done);
	return 0;
}

int main(int argc, char **argv)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	if (fd < 0)
		err(1, "socket");
	if (argc == 3 && !strcmp(argv[1], "give"))
		return give(fd, atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "take"))
		return take(fd, argv[2]);
	errx(2, "give DELAY_S, or take ADDRESS");
}
