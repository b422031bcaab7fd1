/* SPDX-License-Identifier: MIT */
/* Requests by terminals whose server does not sleep before it reads them: the
 * sender is inferred from later events.
 */
#include "attribution/events/known_events.h"
#include "tests/fixtures/request_story.h"

enum {
	BACK = 9,
	BYSTANDER = 10,
	TO_SERVER = 0x600,
	TO_CLIENT = 0x700,
	FROM_OTHER = 0x800,
	TO_OTHER = 0x900,
	TO_BACK = 0xa00,
	FROM_BACK = 0xb00,
};

/* The thread on @cpu writes to a terminal, which queues @item, unless it is
 * already queued (0).
 */
static void writes(struct attribution_fixture *f, uint64_t time_ns,
		   uint32_t cpu, int64_t item)
{
	calls(f, time_ns, cpu, "n_tty_write");
	at(f, time_ns + 1);
	if (item)
		event(f, cpu, EVENT_WORK_QUEUE, item, 0, 0);
	returns(f, time_ns + 2, cpu);
}

static void reads(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu)
{
	calls(f, time_ns, cpu, "tty_read");
	returns(f, time_ns + 2, cpu);
}

static void polls(struct attribution_fixture *f, uint64_t time_ns)
{
	calls(f, time_ns, 1, "do_sys_poll");
	returns(f, time_ns + 2, 1);
}

/* The kworker executes @item, and wakes @tid (0: none). */
static void carries(struct attribution_fixture *f, uint64_t time_ns,
		    int64_t item, int32_t tid)
{
	item_begins(f, time_ns, item);
	if (tid)
		wakes(f, 3, tid);
	item_ends(f, time_ns + 2);
}

/* A client sends a request to the server, which sleeps, and waits for the
 * answer: from then on the receivers of both directions are known.
 */
static void meets(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		  int32_t tid, int64_t to, int64_t from)
{
	sleeps(f, time_ns, 1, SERVER, "do_sys_poll");
	writes(f, time_ns + 5, cpu, to);
	sleeps(f, time_ns + 8, cpu, tid, "tty_read");
	carries(f, time_ns + 12, to, SERVER);
	rises(f, time_ns + 15, 1, SERVER);
	reads(f, time_ns + 25, 1);
	writes(f, time_ns + 30, 1, from);
	carries(f, time_ns + 35, from, tid);
	rises(f, time_ns + 40, cpu, tid);
}

/* The server reads from two clients after one poll; the second is new to it,
 * and the first has sent another message.
 */
static void stranger(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	meets(f, 110, 0, CLIENT, TO_SERVER, TO_CLIENT);
	sleeps(f, 200, 1, SERVER, "do_sys_poll");
	writes(f, 210, 0, TO_SERVER);
	writes(f, 213, 0, 0);
	writes(f, 216, 2, FROM_OTHER);
	carries(f, 220, TO_SERVER, SERVER);
	carries(f, 223, FROM_OTHER, 0);
	rises(f, 230, 1, SERVER);
	reads(f, 240, 1);
	writes(f, 245, 1, TO_CLIENT);
	reads(f, 250, 1);
	writes(f, 255, 1, TO_OTHER);
	sleeps(f, 257, 0, CLIENT, "tty_read");
	carries(f, 260, TO_CLIENT, CLIENT);
	carries(f, 263, TO_OTHER, 0);
	rises(f, 270, 0, CLIENT);
	reads(f, 280, 2);
	polls(f, 290);
	reads(f, 295, 1);
	writes(f, 300, 1, TO_CLIENT);
	sleeps(f, 305, 0, CLIENT, "tty_read");
	carries(f, 310, TO_CLIENT, CLIENT);
	rises(f, 320, 0, CLIENT);
	at(f, 400);
}

/* The client's first message, by a pipe, needs no answer; the server has
 * another client's message before its answer to the second is read.
 */
static void hello(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	calls(f, 150, 0, "pipe_write");
	wakes(f, 0, SERVER);
	returns(f, 155, 0);
	rises(f, 160, 1, SERVER);
	writes(f, 200, 0, TO_SERVER);
	sleeps(f, 205, 0, CLIENT, "tty_read");
	carries(f, 210, TO_SERVER, 0);
	polls(f, 220);
	reads(f, 225, 1);
	writes(f, 230, 1, TO_CLIENT);
	sleeps(f, 235, 1, SERVER, "pipe_read");
	calls(f, 240, 2, "pipe_write");
	wakes(f, 2, SERVER);
	returns(f, 245, 2);
	rises(f, 250, 1, SERVER);
	carries(f, 260, TO_CLIENT, CLIENT);
	rises(f, 265, 0, CLIENT);
	at(f, 400);
}

/* The server answers a message it read without a wake-up, and reads another
 * client's message before the answer is read.
 */
static void found_twice(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	meets(f, 110, 0, CLIENT, TO_SERVER, TO_CLIENT);
	writes(f, 200, 2, FROM_OTHER);
	writes(f, 205, 2, 0);
	carries(f, 210, FROM_OTHER, 0);
	sleeps(f, 213, 2, OTHER, "tty_read");
	polls(f, 220);
	reads(f, 225, 1);
	writes(f, 230, 1, TO_OTHER);
	polls(f, 235);
	reads(f, 240, 1);
	carries(f, 245, TO_OTHER, OTHER);
	rises(f, 250, 2, OTHER);
	writes(f, 260, 1, TO_OTHER);
	writes(f, 265, 0, TO_SERVER);
	sleeps(f, 268, 0, CLIENT, "tty_read");
	polls(f, 275);
	reads(f, 280, 1);
	writes(f, 285, 1, TO_CLIENT);
	carries(f, 290, TO_OTHER, 0);
	carries(f, 295, TO_CLIENT, CLIENT);
	carries(f, 298, TO_SERVER, 0);
	rises(f, 300, 0, CLIENT);
	reads(f, 310, 2);
	at(f, 400);
}

/* One client wakes the server, which reads from the other first and sends a
 * request to a third for it, whose answer it finds. The third is then done with
 * that request, and continues with a message it got by a pipe; requests are
 * emitted before the server answers.
 */
static void asks_behind(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	starts(f, 4, BACK);
	starts(f, 5, BYSTANDER);
	sleeps(f, 101, 4, BACK, "pipe_read");
	calls(f, 103, 5, "pipe_write");
	wakes(f, 5, BACK);
	returns(f, 103, 5);
	rises(f, 104, 4, BACK);
	sleeps(f, 109, 4, BACK, "tty_read");
	meets(f, 112, 0, CLIENT, TO_SERVER, TO_CLIENT);
	meets(f, 160, 2, OTHER, FROM_OTHER, TO_OTHER);
	sleeps(f, 210, 1, SERVER, "do_sys_poll");
	writes(f, 220, 2, FROM_OTHER);
	sleeps(f, 223, 2, OTHER, "tty_read");
	writes(f, 226, 0, TO_SERVER);
	sleeps(f, 229, 0, CLIENT, "tty_read");
	carries(f, 233, FROM_OTHER, SERVER);
	carries(f, 236, TO_SERVER, 0);
	rises(f, 240, 1, SERVER);
	reads(f, 250, 1);
	writes(f, 255, 1, TO_BACK);
	carries(f, 260, TO_BACK, BACK);
	rises(f, 265, 4, BACK);
	writes(f, 275, 4, FROM_BACK);
	carries(f, 280, FROM_BACK, 0);
	reads(f, 285, 1);
	waits(f, 288, 3, KWORKER, 23);
	sleeps(f, 288, 4, BACK, "tty_read");
	for (uint64_t turn = 0; turn < 10; turn++)
		reads(f, 290 + 5 * turn, 5);
	at(f, 345);
	schedules(f, 3, 23, 0, KWORKER);
	goes_on(f, 346, 3);
	writes(f, 350, 1, TO_CLIENT);
	carries(f, 355, TO_CLIENT, CLIENT);
	rises(f, 360, 0, CLIENT);
	reads(f, 370, 1);
	writes(f, 375, 1, TO_OTHER);
	carries(f, 380, TO_OTHER, OTHER);
	rises(f, 385, 2, OTHER);
	at(f, 400);
}

static const struct request_story stories[] = {
	{ "a stranger", stranger,
	  "7>8 115+40: c6 w5 q6 r1 k18 d4 / r2 k61\n"
	  "7>8 210+65?: c6 w10 q9 r8 k18 d14 / r2 k6\n"
	  "17>8 216+66?: c3 w24 q31 k8 / k36\n"
	  "7>8 213+112?: c7 w10 q75 k11 d9 / k101\n",
	  NOTHING_TELLS },
	{ "hello", hello,
	  "7>8 200+70?: c6 w5 q17 k13 d29 / k2\n"
	  "7>8 150+70 no answer: r10 k60\n",
	  NOTHING_TELLS },
	{ "found twice", found_twice,
	  "7>8 115+40: c6 w5 q6 r1 k18 d4 / r2 k81\n"
	  "17>8 200+55?: c6 w5 q17 k13 d14 / k2\n"
	  "17>8 205+107?: c4 w49 q28 k26 / k14\n"
	  "7>8 265+40?: c6 w5 q9 k11 d9 / k116\n",
	  NOTHING_TELLS },
	{ "a server behind", asks_behind,
	  "7>8 117+40: c6 w5 q6 r1 k18 d4 / r2 k19\n"
	  "17>8 165+40: c6 w5 q6 r1 k18 d4 / r2 k21\n"
	  "8>9 255+32? for 226: c3 w9 q4 r3 k13 / r2 k2\n"
	  "7>8 226+139?: c6 w5 q9 r2 k113 d4 by 17 / r5 k2\n"
	  "17>8 220+170?: c6 w9 q130 k25 / k26\n",
	  NOTHING_TELLS },
};

SUITE("request_terminals")
{
	REQUEST_STORIES(stories);
}
