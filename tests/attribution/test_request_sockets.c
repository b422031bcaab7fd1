/* SPDX-License-Identifier: MIT */
/* Requests by sockets, with socket events, which report sends and reads. */
#include "attribution/events/known_events.h"
#include "tests/fixtures/request_story.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

/* A message of @bytes goes from socket @from to @to. */
static void sends(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		  int64_t from, int64_t to, int64_t bytes)
{
	calls(f, time_ns, cpu, "unix_stream_sendmsg");
	at(f, time_ns + 5);
	event(f, cpu, EVENT_SOCKET_READY, to, 0, 0);
	returns(f, time_ns + 10, cpu);
	event(f, cpu, EVENT_SOCKET_SENT, from, bytes, 0);
}

static void reads(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		  int64_t socket, int64_t bytes)
{
	calls(f, time_ns, cpu, "unix_stream_read_generic");
	returns(f, time_ns + 5, cpu);
	event(f, cpu, EVENT_SOCKET_TAKEN, socket, bytes, 0);
}

/* The client sends two requests ahead, which are read at once: no thread
 * sleeps, as each has a CPU. The answers are taken to be in the order of the
 * requests, but only the server knows: both are inferred.
 */
static void ahead(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	sends(f, 220, 0, 70, 80, 16);
	reads(f, 300, 1, 80, 32);
	sends(f, 350, 1, 80, 70, 16);
	reads(f, 370, 0, 70, 16);
	sends(f, 400, 1, 80, 70, 16);
	reads(f, 420, 0, 70, 16);
	at(f, 500);
}

/* Two workers execute the entries of the server's io_uring: each reads a
 * client's message, and the second one writes both answers.
 */
static void by_workers(struct attribution_fixture *f)
{
	belongs(f, 28, SERVER);
	belongs(f, 29, SERVER);
	all_run(f);
	starts(f, 4, 28);
	starts(f, 5, 29);
	state(f, 1, CPU_OUTSIDE);
	at(f, 105);
	state(f, 1, CPU_TRACED);
	calls(f, 110, 1, "io_cqring_wait");
	returns(f, 120, 1);
	sends(f, 200, 0, 70, 80, 16);
	sends(f, 230, 2, 170, 180, 16);
	at(f, 245);
	enter(f, 4, "io_submit_sqes");
	reads(f, 250, 4, 80, 16);
	leave(f, 4);
	at(f, 255);
	enter(f, 5, "io_submit_sqes");
	reads(f, 260, 5, 180, 16);
	sends(f, 310, 5, 80, 70, 16);
	reads(f, 325, 0, 70, 16);
	sends(f, 340, 5, 180, 170, 16);
	reads(f, 355, 2, 170, 16);
	at(f, 500);
}

/* A request is read in two parts; the second completes it. */
static void parts(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 300, 1, 80, 10);
	reads(f, 310, 1, 80, 6);
	sends(f, 350, 1, 80, 70, 16);
	reads(f, 370, 0, 70, 16);
	at(f, 500);
}

/* The trace has a gap in the first send, which continues after it. */
static void gapped(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	calls(f, 200, 0, "unix_stream_sendmsg");
	at(f, 202);
	loses(f, 0);
	loses(f, 0);
	at(f, 205);
	event(f, 0, EVENT_SOCKET_READY, 80, 0, 0);
	at(f, 208);
	finds(f, 0, "unix_stream_sendmsg");
	at(f, 210);
	leave(f, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads(f, 300, 1, 80, 16);
	sends(f, 350, 1, 80, 70, 16);
	reads(f, 370, 0, 70, 16);
	at(f, 500);
}

/* The client's message arrives while the server has its socket locked in a send
 * of its own: it is delivered at the end of that send, and read before the
 * client is back.
 */
static void locked(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 220, 1, 80, 16);
	sends(f, 240, 1, 80, 70, 16);
	reads(f, 260, 0, 70, 16);
	sends(f, 300, 0, 70, 80, 16);
	reads(f, 320, 1, 80, 16);
	calls(f, 340, 0, "unix_stream_sendmsg");
	calls(f, 345, 1, "unix_stream_sendmsg");
	at(f, 350);
	event(f, 1, EVENT_SOCKET_READY, 70, 0, 0);
	at(f, 355);
	event(f, 1, EVENT_SOCKET_READY, 80, 0, 0);
	returns(f, 360, 1);
	event(f, 1, EVENT_SOCKET_SENT, 80, 16, 0);
	reads(f, 370, 1, 80, 16);
	returns(f, 380, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads(f, 390, 0, 70, 16);
	sends(f, 400, 1, 80, 70, 16);
	reads(f, 420, 0, 70, 16);
	at(f, 500);
}

/* The server's first answer and the client's next request are both delivered to
 * a locked socket, by a thread in a send of its own: first at the client's
 * socket, or first at the server's.
 */
static void meet_locked(struct attribution_fixture *f, uint32_t first)
{
	const int64_t sockets[] = { 70, 80 };

	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 220, 1, 80, 16);
	calls(f, 240, 1, "unix_stream_sendmsg");
	calls(f, 245, 0, "unix_stream_sendmsg");
	at(f, 250);
	event(f, first, EVENT_SOCKET_READY, sockets[first], 0, 0);
	at(f, 255);
	event(f, !first, EVENT_SOCKET_READY, sockets[!first], 0, 0);
	returns(f, 260, 1);
	event(f, 1, EVENT_SOCKET_SENT, 80, 16, 0);
	returns(f, 265, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads(f, 270, 0, 70, 16);
	reads(f, 280, 1, 80, 16);
	sends(f, 300, 1, 80, 70, 16);
	reads(f, 320, 0, 70, 16);
	at(f, 500);
}

static void meet_locked_client(struct attribution_fixture *f)
{
	meet_locked(f, 0);
}

static void meet_locked_server(struct attribution_fixture *f)
{
	meet_locked(f, 1);
}

/* The client has queued the message but not yet signalled it when the server,
 * which polls by itself, reads it.
 */
static void reads_early(struct attribution_fixture *f, uint64_t time_ns)
{
	calls(f, time_ns, 0, "unix_stream_sendmsg");
	reads(f, time_ns + 10, 1, 80, 16);
	sends(f, time_ns + 30, 1, 80, 70, 16);
	at(f, time_ns + 50);
	event(f, 0, EVENT_SOCKET_READY, 80, 0, 0);
	returns(f, time_ns + 60, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads(f, time_ns + 70, 0, 70, 16);
}

/* Another thread sends at the same time, on another socket. */
static void early(struct attribution_fixture *f)
{
	all_run(f);
	reads_early(f, 200);
	calls(f, 290, 2, "unix_stream_sendmsg");
	reads_early(f, 300);
	returns(f, 400, 2);
	at(f, 500);
}

/* The client, a command whose output the server reads by a pipe, writes a line
 * to it while the server sends the rest of its answer: that is no answer to the
 * line.
 */
static void logs(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 220, 1, 80, 16);
	sends(f, 240, 1, 80, 70, 16);
	reads(f, 260, 0, 70, 16);
	sleeps(f, 280, 1, SERVER, "pipe_read");
	writes_to(f, 300, 0, SERVER);
	rises(f, 320, 1, SERVER);
	sends(f, 340, 1, 80, 70, 16);
	reads(f, 360, 0, 70, 16);
	at(f, 500);
}

/* Answers to two connections of one client arrive in a different order. */
static void crossed(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	sends(f, 220, 0, 71, 81, 16);
	reads(f, 300, 1, 80, 16);
	reads(f, 310, 1, 81, 16);
	sends(f, 350, 1, 81, 71, 16);
	reads(f, 370, 0, 71, 16);
	sends(f, 400, 1, 80, 70, 16);
	reads(f, 420, 0, 70, 16);
	at(f, 500);
}

enum { LOCAL_PORT = 1000, REMOTE_PORT = 2000 };

/* @socket is established: the connecting end, or the accepted one. */
static void connects(struct attribution_fixture *f, uint32_t cpu,
		     int64_t socket, bool is_server)
{
	const int64_t values[EVENT_MAX_FIELDS] = {
		[SOCKET_ADDRESS] = socket,
		[SOCKET_PROTOCOL] = IPPROTO_TCP,
		[SOCKET_OLD_STATE] = is_server ? TCP_SYN_RECV : TCP_SYN_SENT,
		[SOCKET_NEW_STATE] = TCP_ESTABLISHED,
		[SOCKET_LOCAL_PORT] = is_server ? REMOTE_PORT : LOCAL_PORT,
		[SOCKET_REMOTE_PORT] = is_server ? LOCAL_PORT : REMOTE_PORT,
	};

	event_of(f, cpu, EVENT_SOCKET_STATE, values);
}

static void sends_far(struct attribution_fixture *f, uint64_t time_ns,
		      int64_t socket)
{
	calls(f, time_ns, 0, "tcp_sendmsg");
	at(f, time_ns + 5);
	event(f, 0, EVENT_NET_QUEUE, 0, 0, 0);
	returns(f, time_ns + 20, 0);
	event(f, 0, EVENT_SOCKET_SENT, socket, 16, 0);
}

/* @tid waits for @socket, where 16 bytes arrive later, and continues. */
static void reads_far(struct attribution_fixture *f, uint64_t time_ns,
		      int32_t tid, int64_t socket)
{
	calls(f, time_ns, 0, "tcp_recvmsg");
	waits(f, time_ns + 10, 0, tid, 9);
	at(f, time_ns + 100);
	event(f, 0, EVENT_SOCKET_READY, socket, 0, 0);
	wakes(f, 0, tid);
	at(f, time_ns + 130);
	schedules(f, 0, 9, 0, tid);
	goes_on(f, time_ns + 140, 0);
	returns(f, time_ns + 150, 0);
	event(f, 0, EVENT_SOCKET_TAKEN, socket, 16, 0);
}

/* A client sends two requests to another machine. */
static void asks_far(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	connects(f, 0, 70, false);
	for (uint64_t time_ns = 200; time_ns < 1000; time_ns += 400) {
		sends_far(f, time_ns, 70);
		reads_far(f, time_ns + 30, 7, 70);
	}
	at(f, 1000);
}

/* A server answers another machine twice, the second time in two parts. */
static void answers_far(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 8);
	connects(f, 0, 80, true);
	reads_far(f, 200, 8, 80);
	sends_far(f, 400, 80);
	reads_far(f, 500, 8, 80);
	sends_far(f, 700, 80);
	sends_far(f, 730, 80);
	at(f, 1000);
}

/* A packet for a listening socket, which no thread sent to, arrives while a
 * client sends to another machine.
 */
static void hears_while_asking(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	connects(f, 0, 70, false);
	calls(f, 200, 0, "tcp_sendmsg");
	at(f, 205);
	event(f, 0, EVENT_NET_QUEUE, 0, 0, 0);
	at(f, 210);
	event(f, 0, EVENT_SOCKET_READY, 99, 0, 0);
	returns(f, 220, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads_far(f, 230, 7, 70);
	at(f, 1000);
}

/* Both ends are in the recording: one request, as by any socket. */
static void near(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	connects(f, 0, 70, false);
	connects(f, 1, 80, true);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 300, 1, 80, 16);
	sends(f, 350, 1, 80, 70, 16);
	reads(f, 370, 0, 70, 16);
	at(f, 500);
}

/* The server answers before the client is back from its first send. */
static void near_and_early(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	connects(f, 0, 70, false);
	connects(f, 1, 80, true);
	calls(f, 200, 0, "unix_stream_sendmsg");
	at(f, 205);
	event(f, 0, EVENT_SOCKET_READY, 80, 0, 0);
	reads(f, 210, 1, 80, 16);
	calls(f, 230, 1, "unix_stream_sendmsg");
	returns(f, 240, 1);
	event(f, 1, EVENT_SOCKET_SENT, 80, 16, 0);
	returns(f, 250, 0);
	event(f, 0, EVENT_SOCKET_SENT, 70, 16, 0);
	reads(f, 260, 0, 70, 16);
	at(f, 500);
}

/* A request that is never answered; then both ends' addresses are reused by
 * another connection, whose request is answered.
 */
static void reused(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	connects(f, 0, 70, false);
	connects(f, 1, 80, true);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 300, 1, 80, 16);
	connects(f, 0, 70, false);
	connects(f, 1, 80, true);
	sends(f, 400, 0, 70, 80, 16);
	reads(f, 420, 1, 80, 16);
	sends(f, 440, 1, 80, 70, 16);
	reads(f, 460, 0, 70, 16);
	at(f, 500);
}

/* The client's end is closed with an answer in flight. Another connection
 * reuses its address; the answer is not part of it.
 */
static void left_unread(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	connects(f, 0, 70, false);
	connects(f, 1, 80, true);
	sends(f, 200, 0, 70, 80, 16);
	reads(f, 220, 1, 80, 16);
	sends(f, 240, 1, 80, 70, 16);
	at(f, 250);
	connects(f, 0, 70, false);
	connects(f, 1, 81, true);
	sends(f, 300, 0, 70, 81, 16);
	reads(f, 320, 1, 81, 16);
	sends(f, 340, 1, 81, 70, 16);
	reads(f, 360, 0, 70, 16);
	at(f, 500);
}

/* The event loop of 8 reads two requests of a client by two sockets, sleeps,
 * and answers the second first; the first is answered after another sleep.
 */
static void interleaved(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	sends(f, 200, 0, 70, 80, 16);
	sends(f, 220, 0, 71, 81, 16);
	reads(f, 240, 1, 80, 16);
	reads(f, 250, 1, 81, 16);
	sleeps(f, 260, 1, 8, "do_sys_poll");
	at(f, 300);
	wakes(f, 0, 8);
	rises(f, 310, 1, 8);
	sends(f, 330, 1, 81, 71, 16);
	reads(f, 350, 0, 71, 16);
	sleeps(f, 360, 1, 8, "do_sys_poll");
	at(f, 400);
	wakes(f, 0, 8);
	rises(f, 410, 1, 8);
	sends(f, 430, 1, 80, 70, 16);
	reads(f, 450, 0, 70, 16);
	at(f, 500);
}

/* Socket 90 of 8 is the client's end of a connection to 95, of 17. */
static void opens_upstream(struct attribution_fixture *f, uint64_t time_ns)
{
	int64_t values[EVENT_MAX_FIELDS] = {
		[SOCKET_ADDRESS] = 90,
		[SOCKET_PROTOCOL] = IPPROTO_TCP,
		[SOCKET_OLD_STATE] = TCP_CLOSE,
		[SOCKET_NEW_STATE] = TCP_SYN_SENT,
	};

	at(f, time_ns);
	event_of(f, 1, EVENT_SOCKET_STATE, values);
	values[SOCKET_OLD_STATE] = TCP_SYN_SENT;
	values[SOCKET_NEW_STATE] = TCP_ESTABLISHED;
	values[SOCKET_LOCAL_PORT] = 3000;
	values[SOCKET_REMOTE_PORT] = 4000;
	event_of(f, 1, EVENT_SOCKET_STATE, values);
	values[SOCKET_ADDRESS] = 95;
	values[SOCKET_OLD_STATE] = TCP_SYN_RECV;
	values[SOCKET_LOCAL_PORT] = 4000;
	values[SOCKET_REMOTE_PORT] = 3000;
	event_of(f, 1, EVENT_SOCKET_STATE, values);
}

/* 8 connects to 17 for the first of two requests, and reads the second before
 * it sends to 17: that message is for the first.
 */
static void proxy(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	starts(f, 1, 8);
	starts(f, 2, 17);
	sends(f, 200, 0, 70, 80, 16);
	sends(f, 220, 0, 71, 81, 16);
	reads(f, 240, 1, 80, 16);
	opens_upstream(f, 250);
	reads(f, 260, 1, 81, 16);
	sends(f, 280, 1, 90, 95, 16);
	reads(f, 300, 2, 95, 16);
	sends(f, 320, 2, 95, 90, 16);
	reads(f, 340, 1, 90, 16);
	sends(f, 360, 1, 80, 70, 16);
	sends(f, 380, 1, 81, 71, 16);
	reads(f, 400, 0, 70, 16);
	reads(f, 420, 0, 71, 16);
	at(f, 500);
}

static const struct request_story stories[] = {
	{ "by an io_uring's workers", by_workers,
	  "7>8 200+130?: c10 w10 q45 k65 / k445\n"
	  "17>8 230+130?: c10 w10 q80 k30 / k185\n",
	  SOCKETS_TELL },
	{ "interleaved answers", interleaved,
	  "7>8 200+255: c10 w15 q120 r10 k62 d38 / k65\n"
	  "7>8 220+135: c10 w15 q25 r10 k37 d38\n",
	  SOCKETS_TELL },
	{ "a proxy", proxy,
	  "7>8 200+205: c10 w35 q35 k125\n"
	  "7>8 220+205: c10 w35 q140 k20 / k115\n"
	  "8>17 280+65? for 200: c10 w15 q15 k25 / k175\n",
	  SOCKETS_TELL },
	{ "an address used again", reused,
	  "7>8 200+300 no answer: c5 q120 k175\n"
	  "7>8 400+65: c10 w15 q15 k25\n",
	  SOCKETS_TELL },
	{ "an answer that nobody reads", left_unread,
	  "7>8 200+45: c5 q15 k25 / k75\n"
	  "7>8 300+65: c10 w15 q15 k25 / k155\n",
	  SOCKETS_TELL },
	{ "requests ahead", ahead,
	  "7>8 200+175?: c10 w15 q95 k55\n"
	  "7>8 220+205?: c10 w15 q130 k50 / k95\n",
	  SOCKETS_TELL },
	{ "a request in parts", parts, "7>8 200+175: c10 w15 q95 k55 / k145\n",
	  SOCKETS_TELL },
	{ "a line for a log", logs, "7>8 200+65: c10 w15 q15 k25 / k35\n",
	  SOCKETS_TELL },
	{ "two connections", crossed,
	  "7>8 200+225: c10 w15 q140 k60 / k95\n"
	  "7>8 220+155: c10 w15 q85 k45\n",
	  SOCKETS_TELL },
	{ "a gap in a send", gapped, "7>8 200+175: c10 w15 q95 k55 / k145\n",
	  SOCKETS_TELL },
	{ "a locked socket", locked,
	  "7>8 200+65: c10 w15 q15 k25 / k75\n"
	  "7>8 300+95: c10 w40 q15 k30 / k20\n"
	  "7>8 340+85: c20 w15 q15 k35 / k95\n",
	  SOCKETS_TELL },
	{ "a locked socket of the client, first answer", meet_locked_client,
	  "7>8 200+75: c10 w20 q15 k30 / k30\n"
	  "7>8 245+80: c15 w15 q25 k25 / k195\n",
	  SOCKETS_TELL },
	{ "a locked socket of the server, first answer", meet_locked_server,
	  "7>8 200+75: c10 w15 q15 k35 / k25\n"
	  "7>8 245+80: c10 w15 q30 k25 / k195\n",
	  SOCKETS_TELL },
	{ "read early", early,
	  "7>8 200+75: c20 w35 k20 / k80\n"
	  "7>8 300+75: c20 w35 k20 / k170\n",
	  SOCKETS_TELL },
	{ "answered early", near_and_early,
	  "7>8 200+65: c10 w20 q5 k30 / k260\n", SOCKETS_TELL },
	{ "to another machine", asks_far,
	  "7>-1 200+180: c25 w30 n125\n"
	  "7>-1 600+180: c25 w30 n125\n",
	  SOCKETS_TELL },
	{ "from another machine", answers_far,
	  "-1>8 300+105: r30 k75 / k95\n"
	  "-1>8 600+105: r30 k75 / k295\n",
	  SOCKETS_TELL },
	{ "packets of others", hears_while_asking,
	  "7>-1 200+180: c25 w30 n125\n", SOCKETS_TELL },
	{ "on one machine", near, "7>8 200+175: c10 w15 q95 k55 / k145\n",
	  SOCKETS_TELL },
};

SUITE("request_sockets")
{
	REQUEST_STORIES(stories);
}
