/* SPDX-License-Identifier: MIT */
#include "tests/fixtures/request_story.h"

/* Server 8 is asleep in @function, and client 7 runs. */
static void server_waits(struct attribution_fixture *f, const char *function)
{
	at(f, 100);
	starts(f, 0, 8);
	calls(f, 110, 0, function);
	waits(f, 120, 0, 8, 7);
}

/* 7 sends a request to 8 in @send at 200, returns to its own wait at 300 and
 * sleeps; 8 reads it at 320.
 */
static void asks_by(struct attribution_fixture *f, const char *send)
{
	calls(f, 200, 0, send);
	at(f, 210);
	wakes(f, 0, 8);
	returns(f, 230, 0);
	calls(f, 250, 0, "pipe_read");
	waits(f, 300, 0, 7, 8);
	goes_on(f, 310, 0);
	returns(f, 320, 0);
}

static void asks(struct attribution_fixture *f)
{
	asks_by(f, "pipe_write");
}

static void answers(struct attribution_fixture *f)
{
	calls(f, 400, 0, "pipe_write");
	at(f, 420);
	wakes(f, 0, 7);
	returns(f, 430, 0);
	calls(f, 440, 0, "pipe_read");
	waits(f, 450, 0, 8, 7);
	goes_on(f, 460, 0);
	returns(f, 470, 0);
}

static void plain(struct attribution_fixture *f)
{
	server_waits(f, "pipe_read");
	asks(f);
	answers(f);
	at(f, 500);
}

static void polled(struct attribution_fixture *f)
{
	server_waits(f, "do_sys_poll");
	asks(f);
	calls(f, 330, 0, "pipe_read");
	returns(f, 340, 0);
	answers(f);
	at(f, 500);
}

/* The client writes twice before the server reads, which answers once. */
static void sent_twice(struct attribution_fixture *f)
{
	server_waits(f, "pipe_read");
	calls(f, 200, 0, "pipe_write");
	at(f, 210);
	wakes(f, 0, 8);
	returns(f, 230, 0);
	calls(f, 235, 0, "pipe_write");
	returns(f, 240, 0);
	calls(f, 250, 0, "pipe_read");
	waits(f, 300, 0, 7, 8);
	goes_on(f, 310, 0);
	returns(f, 320, 0);
	answers(f);
	at(f, 500);
}

/* The client writes before the server first reads. */
static void early(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, 7);
	calls(f, 200, 0, "pipe_write");
	returns(f, 230, 0);
	calls(f, 250, 0, "pipe_read");
	waits(f, 300, 0, 7, 8);
	calls(f, 320, 0, "pipe_read");
	returns(f, 340, 0);
	answers(f);
	at(f, 500);
}

/* The server executes another program, which answers. */
static void executes(struct attribution_fixture *f)
{
	server_waits(f, "pipe_read");
	asks(f);
	at(f, 350);
	life(f, 0, SIDEBAND_COMM, 8);
	answers(f);
	at(f, 500);
}

/* The server's io_uring reads before the wait for it ends. */
static void read_by_uring(struct attribution_fixture *f)
{
	server_waits(f, "io_cqring_wait");
	calls(f, 200, 0, "pipe_write");
	at(f, 210);
	wakes(f, 0, 8);
	returns(f, 230, 0);
	calls(f, 250, 0, "pipe_read");
	waits(f, 300, 0, 7, 8);
	goes_on(f, 305, 0);
	calls(f, 310, 0, "pipe_read");
	returns(f, 315, 0);
	returns(f, 320, 0);
	answers(f);
	at(f, 500);
}

/* 8 sends a request to 9, downstream. */
static void chain(struct attribution_fixture *f)
{
	at(f, 50);
	starts(f, 0, 9);
	calls(f, 60, 0, "pipe_read");
	waits(f, 70, 0, 9, 8);
	calls(f, 80, 0, "pipe_read");
	waits(f, 90, 0, 8, 7);
	asks(f);
	calls(f, 330, 0, "pipe_write");
	at(f, 335);
	wakes(f, 0, 9);
	returns(f, 340, 0);
	calls(f, 345, 0, "pipe_read");
	waits(f, 350, 0, 8, 9);
	goes_on(f, 355, 0);
	returns(f, 360, 0);
	calls(f, 370, 0, "pipe_write");
	at(f, 375);
	wakes(f, 0, 8);
	returns(f, 380, 0);
	calls(f, 382, 0, "pipe_read");
	waits(f, 385, 0, 9, 8);
	goes_on(f, 390, 0);
	returns(f, 395, 0);
	answers(f);
	at(f, 500);
}

/* 8 reads it; 18 of the same process, woken through shared memory, answers. */
static void pool(struct attribution_fixture *f)
{
	belongs(f, 18, 8);
	at(f, 50);
	starts(f, 0, 18);
	calls(f, 60, 0, "futex_wait");
	waits(f, 70, 0, 18, 8);
	calls(f, 80, 0, "pipe_read");
	waits(f, 90, 0, 8, 7);
	asks(f);
	calls(f, 330, 0, "futex_wake");
	at(f, 340);
	wakes(f, 0, 18);
	returns(f, 345, 0);
	calls(f, 350, 0, "pipe_read");
	waits(f, 360, 0, 8, 18);
	goes_on(f, 365, 0);
	returns(f, 370, 0);
	calls(f, 400, 0, "pipe_write");
	at(f, 420);
	wakes(f, 0, 7);
	returns(f, 430, 0);
	calls(f, 440, 0, "futex_wait");
	waits(f, 450, 0, 18, 7);
	goes_on(f, 460, 0);
	returns(f, 470, 0);
	at(f, 500);
}

/* 8 reads it and falls asleep; 18 of the same process, woken meanwhile,
 * answers: 8 was on the request's path until then, asleep since 340.
 */
static void other_cpu(struct attribution_fixture *f)
{
	belongs(f, 18, 8);
	server_waits(f, "pipe_read");
	at(f, 130);
	starts(f, 1, 18);
	calls(f, 140, 1, "futex_wait");
	waits(f, 150, 1, 18, 9);
	asks(f);
	calls(f, 330, 0, "vfs_read");
	waits(f, 340, 0, 8, 10);
	follow_script(f, "400 cpu:1 waking:18 410 switch:9,0,18");
	goes_on(f, 420, 1);
	returns(f, 425, 1);
	calls(f, 430, 1, "pipe_write");
	at(f, 440);
	wakes(f, 1, 7);
	returns(f, 450, 1);
	at(f, 460);
	schedules(f, 0, 10, 0, 7);
	goes_on(f, 465, 0);
	returns(f, 470, 0);
	follow_script(f, "600 cpu:1 waking:8 610 cpu:0 switch:7,0,8");
	goes_on(f, 620, 0);
	returns(f, 630, 0);
	at(f, 700);
}

/* Three threads of a server: 8 never answers, 17 answers the second, and 27 the
 * third: its client had an answer since it sent the first.
 */
static void passed(struct attribution_fixture *f)
{
	belongs(f, OTHER, SERVER);
	belongs(f, 27, SERVER);
	all_run(f);
	starts(f, 3, 27);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	sleeps(f, 120, 2, OTHER, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	rises(f, 215, 1, SERVER);
	writes_to(f, 230, 0, OTHER);
	rises(f, 245, 2, OTHER);
	sleeps(f, 252, 0, CLIENT, "pipe_read");
	writes_to(f, 260, 2, CLIENT);
	rises(f, 275, 0, CLIENT);
	sleeps(f, 290, 2, OTHER, "pipe_read");
	writes_to(f, 300, 0, OTHER);
	rises(f, 315, 2, OTHER);
	sleeps(f, 325, 0, CLIENT, "pipe_read");
	writes_to(f, 340, 3, CLIENT);
	rises(f, 355, 0, CLIENT);
	at(f, 500);
}

/* The server passes the client's request on to @worker. */
static void hands_on(struct attribution_fixture *f, uint64_t time_ns,
		     uint32_t client_cpu, int32_t worker, uint32_t worker_cpu)
{
	sleeps(f, time_ns, 1, SERVER, "pipe_read");
	writes_to(f, time_ns + 10, client_cpu, SERVER);
	rises(f, time_ns + 25, 1, SERVER);
	calls(f, time_ns + 35, 1, "futex_wake");
	at(f, time_ns + 40);
	wakes(f, 1, worker);
	returns(f, time_ns + 45, 1);
	rises(f, time_ns + 50, worker_cpu, worker);
}

/* Two workers answer two clients, which find the answers without sleeping. */
static void swapped(struct attribution_fixture *f)
{
	belongs(f, 27, SERVER);
	belongs(f, 28, SERVER);
	all_run(f);
	starts(f, 3, 27);
	starts(f, 4, 28);
	sleeps(f, 110, 3, 27, "futex_wait");
	sleeps(f, 120, 4, 28, "futex_wait");
	hands_on(f, 200, 0, 27, 3);
	hands_on(f, 300, 2, 28, 4);
	calls(f, 400, 3, "pipe_write");
	returns(f, 410, 3);
	calls(f, 420, 4, "pipe_write");
	returns(f, 430, 4);
	calls(f, 440, 0, "pipe_read");
	returns(f, 445, 0);
	calls(f, 450, 2, "pipe_read");
	returns(f, 455, 2);
	at(f, 500);
}

/* A worker once found a message. The server, woken by one of two clients, reads
 * the other's message and passes it to that worker, whose answer identifies the
 * client.
 */
static void found_before(struct attribution_fixture *f)
{
	belongs(f, 27, SERVER);
	all_run(f);
	starts(f, 3, 27);
	calls(f, 110, 3, "pipe_read");
	returns(f, 115, 3);
	sleeps(f, 120, 3, 27, "futex_wait");
	sleeps(f, 130, 1, SERVER, "do_sys_poll");
	writes_to(f, 200, 2, SERVER);
	calls(f, 220, 0, "pipe_write");
	returns(f, 230, 0);
	sleeps(f, 235, 0, CLIENT, "pipe_read");
	rises(f, 240, 1, SERVER);
	calls(f, 250, 1, "pipe_read");
	returns(f, 255, 1);
	calls(f, 260, 1, "futex_wake");
	at(f, 265);
	wakes(f, 1, 27);
	returns(f, 270, 1);
	rises(f, 280, 3, 27);
	writes_to(f, 300, 3, CLIENT);
	rises(f, 315, 0, CLIENT);
	at(f, 500);
}

/* Two clients wake the server in one poll. It sends a request to 27 for the
 * first, and is woken by 27's answer before it reads the second client's
 * message.
 */
static void asks_between(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, 27);
	sleeps(f, 110, 3, 27, "pipe_read");
	sleeps(f, 130, 1, SERVER, "do_sys_poll");
	writes_to(f, 200, 0, SERVER);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	writes_to(f, 220, 2, SERVER);
	sleeps(f, 235, 2, OTHER, "pipe_read");
	rises(f, 240, 1, SERVER);
	calls(f, 250, 1, "pipe_read");
	returns(f, 255, 1);
	writes_to(f, 260, 1, 27);
	sleeps(f, 275, 1, SERVER, "pipe_read");
	rises(f, 280, 3, 27);
	writes_to(f, 290, 3, SERVER);
	rises(f, 305, 1, SERVER);
	writes_to(f, 315, 1, CLIENT);
	rises(f, 330, 0, CLIENT);
	calls(f, 340, 1, "pipe_read");
	returns(f, 345, 1);
	writes_to(f, 350, 1, OTHER);
	rises(f, 365, 2, OTHER);
	at(f, 500);
}

static void serves_once(struct attribution_fixture *f, uint64_t time_ns,
			uint32_t cpu, int32_t tid)
{
	sleeps(f, time_ns, 1, SERVER, "pipe_read");
	writes_to(f, time_ns + 10, cpu, SERVER);
	sleeps(f, time_ns + 25, cpu, tid, "pipe_read");
	rises(f, time_ns + 30, 1, SERVER);
	writes_to(f, time_ns + 45, 1, tid);
	rises(f, time_ns + 60, cpu, tid);
}

/* Two clients send, and the second wakes the server, which reads the first
 * one's message. It has answered that and sent a request to 27 for the second
 * when the first reads its answer.
 */
static void answers_other(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, 27);
	sleeps(f, 105, 3, 27, "pipe_read");
	serves_once(f, 110, 0, CLIENT);
	serves_once(f, 210, 2, OTHER);
	sleeps(f, 290, 1, SERVER, "do_sys_poll");
	writes_to(f, 300, 2, SERVER);
	sleeps(f, 315, 2, OTHER, "pipe_read");
	calls(f, 320, 0, "pipe_write");
	returns(f, 325, 0);
	rises(f, 330, 1, SERVER);
	for (uint64_t time_ns = 340; time_ns < 380; time_ns += 20) {
		calls(f, time_ns, 1, "pipe_read");
		returns(f, time_ns + 5, 1);
		calls(f, time_ns + 10, 1, "pipe_write");
		if (time_ns > 340)
			wakes(f, 1, 27);
		returns(f, time_ns + 15, 1);
	}
	calls(f, 380, 0, "pipe_read");
	returns(f, 385, 0);
	rises(f, 390, 3, 27);
	sleeps(f, 400, 1, SERVER, "pipe_read");
	writes_to(f, 410, 3, SERVER);
	rises(f, 430, 1, SERVER);
	writes_to(f, 440, 1, OTHER);
	rises(f, 460, 2, OTHER);
	at(f, 500);
}

/* A timer that expires within a write wakes a polling thread: that is not a
 * message.
 */
static void timer(struct attribution_fixture *f)
{
	server_waits(f, "do_sys_poll");
	calls(f, 200, 0, "pipe_write");
	follow_script(f, "asm_sysvec_apic_timer_interrupt( 210 waking:8 220 )");
	returns(f, 230, 0);
	at(f, 300);
	schedules(f, 0, 7, 0, 8);
	goes_on(f, 310, 0);
	returns(f, 320, 0);
	at(f, 500);
}

/* The client makes a request by shared memory: it wakes the server, which waits
 * for a futex there, waits for another futex itself, and is woken by the
 * server.
 */
static void asks_by_word(struct attribution_fixture *f, uint64_t time_ns)
{
	sleeps(f, time_ns, 1, SERVER, "futex_wait");
	calls(f, time_ns + 10, 0, "futex_wake");
	at(f, time_ns + 15);
	wakes(f, 0, SERVER);
	returns(f, time_ns + 20, 0);
	rises(f, time_ns + 25, 1, SERVER);
	sleeps(f, time_ns + 30, 0, CLIENT, "futex_wait");
	calls(f, time_ns + 50, 1, "futex_wake");
	at(f, time_ns + 55);
	wakes(f, 1, CLIENT);
	returns(f, time_ns + 60, 1);
	rises(f, time_ns + 65, 0, CLIENT);
}

/* The trace has neither the futex words nor the shared memory's content, and a
 * lock shared by two processes uses the same calls: no request is reported.
 * Until 2026 the ten were reported as one without an answer and one in reverse.
 */
static void shared_memory(struct attribution_fixture *f)
{
	all_run(f);
	for (uint64_t time_ns = 200; time_ns < 1200; time_ns += 100)
		asks_by_word(f, time_ns);
	at(f, 1300);
}

/* A server of pipes shares a lock with another process: the reason for the
 * wake-up is unknown, and the request by a pipe stays right.
 */
static void shared_lock(struct attribution_fixture *f)
{
	all_run(f);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	rises(f, 215, 1, SERVER);
	sleeps(f, 225, 0, CLIENT, "pipe_read");
	sleeps(f, 230, 1, SERVER, "futex_wait");
	calls(f, 240, 2, "futex_wake");
	at(f, 245);
	wakes(f, 2, SERVER);
	returns(f, 250, 2);
	rises(f, 255, 1, SERVER);
	writes_to(f, 270, 1, CLIENT);
	rises(f, 285, 0, CLIENT);
	sleeps(f, 295, 1, SERVER, "futex_wait");
	calls(f, 300, 2, "futex_wake");
	at(f, 305);
	wakes(f, 2, SERVER);
	returns(f, 310, 2);
	rises(f, 315, 1, SERVER);
	at(f, 400);
}

static const struct request_story stories[] = {
	{ "shared memory", shared_memory, "", NOTHING_TELLS },
	{ "a lock of two processes", shared_lock,
	  "7>8 200+90: c10 w10 r20 k37 a13 / k20\n", NOTHING_TELLS },
	{ "one asks, one answers", plain,
	  "7>8 200+270: c30 w30 r90 k120 / k30\n", NOTHING_TELLS },
	{ "one asks, one answers, and records were lost", plain,
	  "7>8 200+270?: c30 w30 r90 k120 / k30\n", RECORDS_LOST },
	{ "woken from a poll", polled, "7>8 200+270: c30 w30 r90 k120 / k30\n",
	  NOTHING_TELLS },
	{ "one of two", sent_twice, "7>8 200+270?: c30 w30 r90 k120 / k30\n",
	  NOTHING_TELLS },
	{ "before the server reads", early,
	  "7>8 200+270?: c50 w30 q90 k100 / k30\n", NOTHING_TELLS },
	{ "an exec", executes, "7>8 200+270: c30 w30 r90 k120 / k30\n",
	  NOTHING_TELLS },
	{ "by an io_uring", read_by_uring,
	  "7>8 200+270: c30 w30 r90 k120 / k30\n", NOTHING_TELLS },
	{ "a chain", chain,
	  "7>8 200+270: c30 w30 r100 k85 d25 by 9 / k30\n"
	  "8>9 330+65 for 200: c15 w10 r15 k25 / k10\n",
	  NOTHING_TELLS },
	{ "a pool", pool, "7>18 200+270?: c30 w30 r110 k100 by 8 / k50\n",
	  NOTHING_TELLS },
	{ "one asleep, one answers", other_cpu,
	  "7>18 200+270?: c20 w20 r100 k70 a60 / r10 k350 a200\n",
	  NOTHING_TELLS },
	{ "an answer passes one", passed,
	  "7>17 230+50: c10 w10 r10 k20 / k25\n"
	  "7>8 200+300 no answer: c5 r10 k285\n"
	  "7>27 300+60?: c10 w10 r10 k30 / k555\n",
	  NOTHING_TELLS },
	{ "two workers", swapped,
	  "7>-1 210+235?: c10 w30 r20 k175 by 8 / k152\n"
	  "17>-1 310+145?: c10 w20 r20 k95 by 8 / k230\n",
	  NOTHING_TELLS },
	{ "a worker that found", found_before,
	  "7>27 220+100?: c15 w10 q35 r15 k25 by 8\n", NOTHING_TELLS },
	{ "asks between", asks_between,
	  "7>8 200+135: c10 w10 q20 r25 k52 d18 by 17 by 27 / k20\n"
	  "8>27 260+50 for 200: c10 w10 r15 k15 / k205\n"
	  "17>8 220+150: c10 w10 q115 k15 / k145\n",
	  NOTHING_TELLS },
	{ "another's answer", answers_other,
	  "7>8 120+55: c10 w10 r15 k20 / k50\n"
	  "17>8 220+55: c10 w10 r15 k20 / k30\n"
	  "7>8 320+65?: c10 w25 r5 k25 by 17 / r20\n"
	  "17>8 300+165?: c10 w15 q55 r15 k57 d13 by 27 / k60\n"
	  "8>27 370+65 for 300: c5 w15 r20 k25 / k85\n",
	  NOTHING_TELLS },
	{ "a timer", timer, "", NOTHING_TELLS },
};

SUITE("requests")
{
	REQUEST_STORIES(stories);
}
