/* SPDX-License-Identifier: MIT */
/* Requests by terminals, whose messages a kworker's work items carry. */
#include "attribution/events/known_events.h"
#include "tests/fixtures/request_story.h"

enum { TO_SERVER = 0x600, TO_CLIENT = 0x700 };

/* The server is asleep in @function; a kworker has CPU 3. */
static void server_waits(struct attribution_fixture *f, const char *function)
{
	all_run(f);
	starts(f, 3, KWORKER);
	sleeps(f, 110, 1, SERVER, function);
}

/* The thread on @cpu writes to a terminal, which queues @item. */
static void writes(struct attribution_fixture *f, uint64_t time_ns,
		   uint32_t cpu, int64_t item)
{
	calls(f, time_ns, cpu, "n_tty_write");
	at(f, time_ns + 5);
	event(f, cpu, EVENT_WORK_QUEUE, item, 0, 0);
	returns(f, time_ns + 10, cpu);
}

static void reads(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu)
{
	calls(f, time_ns, cpu, "tty_read");
	returns(f, time_ns + 5, cpu);
}

/* The kworker executes @item for 30 ns, and wakes @tid (0: none) after 10. */
static void carries(struct attribution_fixture *f, uint64_t time_ns,
		    int64_t item, int32_t tid)
{
	item_begins(f, time_ns, item);
	at(f, time_ns + 10);
	if (tid)
		wakes(f, 3, tid);
	item_ends(f, time_ns + 30);
}

static void terminal(struct attribution_fixture *f)
{
	server_waits(f, "do_sys_poll");
	writes(f, 200, 0, TO_SERVER);
	sleeps(f, 220, 0, CLIENT, "tty_read");
	carries(f, 240, TO_SERVER, SERVER);
	rises(f, 280, 1, SERVER);
	reads(f, 290, 1);
	writes(f, 300, 1, TO_CLIENT);
	carries(f, 340, TO_CLIENT, CLIENT);
	rises(f, 380, 0, CLIENT);
	at(f, 500);
}

/* The client returns late, and finds the answer. */
static void found(struct attribution_fixture *f)
{
	server_waits(f, "tty_read");
	writes(f, 200, 0, TO_SERVER);
	carries(f, 240, TO_SERVER, SERVER);
	rises(f, 280, 1, SERVER);
	writes(f, 300, 1, TO_CLIENT);
	carries(f, 340, TO_CLIENT, 0);
	reads(f, 380, 0);
	at(f, 500);
}

/* The server arrives while the item is being executed, and waits until it is
 * done.
 */
static void flushed(struct attribution_fixture *f)
{
	server_waits(f, "tty_read");
	writes(f, 200, 0, TO_SERVER);
	sleeps(f, 220, 0, CLIENT, "tty_read");
	carries(f, 240, TO_SERVER, 0);
	item_begins(f, 280, 0x900);
	enter(f, 3, "wq_barrier_func");
	jump(f, 3, "try_to_wake_up");
	at(f, 290);
	wakes(f, 3, SERVER);
	item_ends(f, 292);
	item_ends(f, 294);
	rises(f, 300, 1, SERVER);
	writes(f, 320, 1, TO_CLIENT);
	carries(f, 340, TO_CLIENT, CLIENT);
	rises(f, 380, 0, CLIENT);
	at(f, 500);
}

/* The server is woken by another item, or by an interrupt within the item of a
 * message.
 */
static void others(struct attribution_fixture *f)
{
	server_waits(f, "do_sys_poll");
	writes(f, 200, 0, TO_SERVER);
	carries(f, 220, 0x900, SERVER);
	rises(f, 260, 1, SERVER);
	sleeps(f, 270, 1, SERVER, "do_sys_poll");
	item_begins(f, 280, TO_SERVER);
	at(f, 285);
	enter(f, 3, "asm_sysvec_apic_timer_interrupt");
	wakes(f, 3, SERVER);
	at(f, 290);
	leave(f, 3);
	item_ends(f, 300);
	rises(f, 310, 1, SERVER);
	at(f, 500);
}

/* A server thread passes on by a terminal a request it received by a pipe. */
static void handed_on(struct attribution_fixture *f)
{
	belongs(f, OTHER, SERVER);
	server_waits(f, "pipe_read");
	sleeps(f, 120, 2, OTHER, "tty_read");
	calls(f, 200, 0, "pipe_write");
	at(f, 205);
	wakes(f, 0, SERVER);
	returns(f, 210, 0);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	rises(f, 220, 1, SERVER);
	writes(f, 230, 1, TO_SERVER);
	carries(f, 260, TO_SERVER, OTHER);
	rises(f, 300, 2, OTHER);
	calls(f, 320, 2, "pipe_write");
	at(f, 325);
	wakes(f, 2, CLIENT);
	returns(f, 330, 2);
	rises(f, 340, 0, CLIENT);
	at(f, 500);
}

/* One of the two clients exchanges messages with the server, which is then
 * busy.
 */
static void exchanges(struct attribution_fixture *f, uint64_t time_ns,
		      uint32_t cpu, int32_t tid, int64_t to, int64_t from)
{
	sleeps(f, time_ns, 1, SERVER, "do_sys_poll");
	writes(f, time_ns + 10, cpu, to);
	sleeps(f, time_ns + 22, cpu, tid, "tty_read");
	carries(f, time_ns + 30, to, SERVER);
	rises(f, time_ns + 62, 1, SERVER);
	reads(f, time_ns + 70, 1);
	writes(f, time_ns + 80, 1, from);
	carries(f, time_ns + 100, from, tid);
	rises(f, time_ns + 140, cpu, tid);
}

/* Both send at once, and the second gets its answer first: no thread sleeps,
 * but each item's receiver is known from before.
 */
static void crossed(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	exchanges(f, 200, 0, CLIENT, TO_SERVER, TO_CLIENT);
	exchanges(f, 400, 2, OTHER, 0x800, 0x900);
	writes(f, 600, 0, TO_SERVER);
	writes(f, 620, 2, 0x800);
	carries(f, 640, TO_SERVER, 0);
	carries(f, 680, 0x800, 0);
	reads(f, 720, 1);
	reads(f, 730, 1);
	writes(f, 740, 1, 0x900);
	writes(f, 760, 1, TO_CLIENT);
	carries(f, 780, 0x900, 0);
	carries(f, 820, TO_CLIENT, 0);
	reads(f, 860, 0);
	reads(f, 880, 2);
	at(f, 900);
}

static const struct request_story stories[] = {
	{ "a terminal", terminal, "7>8 200+185: c10 w30 q70 r30 k45 / k235\n",
	  NOTHING_TELLS },
	{ "a client is late", found,
	  "7>8 200+185?: c10 w75 q35 r30 k35 / k245\n", NOTHING_TELLS },
	{ "a server flushes", flushed,
	  "7>8 200+185: c10 w30 q70 r10 k65 / k195\n", NOTHING_TELLS },
	{ "others wake it", others, "", NOTHING_TELLS },
	{ "answers crossed", crossed,
	  "7>8 210+135: c10 w30 q30 r22 k43 / k155\n"
	  "17>8 410+135: c10 w30 q30 r22 k43 / k275\n"
	  "7>8 600+265?: c10 w95 q100 k60 / k30\n"
	  "17>8 620+265?: c10 w135 q75 k45 / k165\n",
	  NOTHING_TELLS },
	{ "handed on", handed_on,
	  "7>17 200+145?: c10 w15 q25 r45 k50 by 8 / k460\n", NOTHING_TELLS },
};

SUITE("request_items")
{
	REQUEST_STORIES(stories);
}
