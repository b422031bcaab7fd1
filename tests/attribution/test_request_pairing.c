/* SPDX-License-Identifier: MIT */
/* Which message a thread read, and which one it answers, if neither wakes a
 * thread: of messages that need no answer (hellos), of several clients, and of
 * servers that use an epoll and an io_uring.
 */
#include "tests/fixtures/request_story.h"

/* A thread reads a pipe without sleeping; stories with this mark no copies. */
static void reads(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu)
{
	calls(f, time_ns, cpu, "pipe_read");
	returns(f, time_ns + 5, cpu);
}

/* The thread polls and finds an object ready, which it reads. */
static void polls_and_reads(struct attribution_fixture *f, uint64_t time_ns,
			    uint32_t cpu)
{
	calls(f, time_ns, cpu, "do_sys_poll");
	returns(f, time_ns + 5, cpu);
	reads(f, time_ns + 10, cpu);
}

/* The thread reads, or sends to @tid, for an entry of an io_uring. */
static void reads_entry(struct attribution_fixture *f, uint64_t time_ns,
			uint32_t cpu)
{
	at(f, time_ns);
	enter(f, cpu, "io_issue_sqe");
	enter(f, cpu, "pipe_read");
	at(f, time_ns + 5);
	leave(f, cpu);
	leave(f, cpu);
}

/* An epoll has the pipe to which the thread writes. */
static void writes_watched(struct attribution_fixture *f, uint64_t time_ns,
			   uint32_t cpu)
{
	calls(f, time_ns, cpu, "pipe_write");
	enter(f, cpu, "ep_poll_callback");
	at(f, time_ns + 5);
	leave(f, cpu);
	returns(f, time_ns + 10, cpu);
}

/* The thread sends a request, which wakes nobody, and waits for the answer. */
static void asks(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		 int32_t tid)
{
	writes_pipe(f, time_ns, cpu);
	sleeps(f, time_ns + 15, cpu, tid, "pipe_read");
}

/* The server's answer wakes @tid, a client. */
static void answers(struct attribution_fixture *f, uint64_t time_ns,
		    int32_t tid)
{
	writes_to(f, time_ns, 1, tid);
	rises(f, time_ns + 15, tid == CLIENT ? 0 : 2, tid);
}

/* The thread of the kernel in the server's process executes an entry: it reads;
 * or it writes at @time_ns, and wakes @tid.
 */
static void kernel_reads(struct attribution_fixture *f, uint64_t begin_ns)
{
	at(f, begin_ns);
	enter(f, 4, "io_submit_sqes");
	reads(f, begin_ns + 1, 4);
	leave(f, 4);
}

static void kernel_writes(struct attribution_fixture *f, uint64_t begin_ns,
			  uint64_t time_ns, int32_t tid)
{
	at(f, begin_ns);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, time_ns, 4, tid);
	leave(f, 4);
}

/* The server reads the client's hello, which wakes it. */
static void hears_hello(struct attribution_fixture *f)
{
	sleeps(f, 110, 1, SERVER, "pipe_read");
	writes_to(f, 120, 0, SERVER);
	rises(f, 135, 1, SERVER);
	client_slept(f, 150);
}

/* Both clients send requests. */
static void both_ask(struct attribution_fixture *f)
{
	asks(f, 160, 2, OTHER);
	asks(f, 190, 0, CLIENT);
}

/* After a hello, the server reads two messages before it answers the first. */
static void hello_before_others(struct attribution_fixture *f)
{
	all_run(f);
	hears_hello(f);
	both_ask(f);
	reads(f, 220, 1);
	reads(f, 230, 1);
	answers(f, 240, OTHER);
	answers(f, 270, CLIENT);
	at(f, 400);
}

/* Like hello_before_others(), but a thread of the kernel reads and writes. */
static void hello_before_entries(struct attribution_fixture *f)
{
	ring_runs(f);
	hears_hello(f);
	both_ask(f);
	calls(f, 215, 1, "io_cqring_wait");
	waits(f, 217, 1, SERVER, 21);
	at(f, 220);
	enter(f, 4, "io_submit_sqes");
	reads(f, 221, 4);
	reads(f, 230, 4);
	at(f, 237);
	wakes(f, 4, SERVER);
	leave(f, 4);
	at(f, 240);
	schedules(f, 1, 21, 0, SERVER);
	goes_on(f, 242, 1);
	returns(f, 245, 1);
	at(f, 250);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, 260, 4, OTHER);
	writes_to(f, 280, 4, CLIENT);
	at(f, 292);
	leave(f, 4);
	rises(f, 300, 2, OTHER);
	rises(f, 310, 0, CLIENT);
	at(f, 400);
}

/* The server has answered both clients. */
static void both_answered(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 110, 0);
	reads(f, 125, 1);
	writes_pipe(f, 135, 1);
	reads(f, 150, 0);
	writes_pipe(f, 160, 2);
	reads(f, 175, 1);
	writes_pipe(f, 185, 1);
	reads(f, 200, 2);
}

/* The server polls and reads the pipe that an epoll has, and then for an entry
 * the other one, whose message is older.
 */
static void epoll_has_newer(struct attribution_fixture *f)
{
	both_answered(f);
	asks(f, 300, 2, OTHER);
	writes_watched(f, 320, 0);
	sleeps(f, 335, 0, CLIENT, "pipe_read");
	polls_and_reads(f, 340, 1);
	reads_entry(f, 360, 1);
	answers(f, 380, CLIENT);
	answers(f, 410, OTHER);
	at(f, 500);
}

/* The server's answer shows that it read another message than the older one. */
static void answer_corrects(struct attribution_fixture *f)
{
	both_answered(f);
	asks(f, 300, 2, OTHER);
	asks(f, 320, 0, CLIENT);
	polls_and_reads(f, 340, 1);
	answers(f, 380, CLIENT);
	polls_and_reads(f, 400, 1);
	answers(f, 440, OTHER);
	at(f, 500);
}

/* A thread of the kernel reads the message of a thread that was never answered,
 * and not the first one of a known client, which the server reads.
 */
static void entry_of_stranger(struct attribution_fixture *f)
{
	ring_runs(f);
	writes_pipe(f, 110, 0);
	reads(f, 125, 1);
	writes_pipe(f, 135, 1);
	reads(f, 150, 0);
	writes_pipe(f, 200, 0);
	writes_pipe(f, 212, 0);
	sleeps(f, 225, 0, CLIENT, "pipe_read");
	asks(f, 230, 2, OTHER);
	at(f, 250);
	enter(f, 4, "io_submit_sqes");
	reads(f, 255, 4);
	polls_and_reads(f, 265, 1);
	writes_to(f, 290, 1, CLIENT);
	writes_to(f, 305, 4, OTHER);
	at(f, 317);
	leave(f, 4);
	rises(f, 320, 0, CLIENT);
	rises(f, 330, 2, OTHER);
	polls_and_reads(f, 340, 1);
	sleeps(f, 360, 0, CLIENT, "pipe_read");
	answers(f, 370, CLIENT);
	at(f, 400);
}

/* The thread sends for an entry of an io_uring, which wakes nobody. */
static void writes_entry(struct attribution_fixture *f, uint64_t time_ns,
			 uint32_t cpu)
{
	at(f, time_ns);
	enter(f, cpu, "io_issue_sqe");
	writes_pipe(f, time_ns + 1, cpu);
	leave(f, cpu);
}

/* Both clients find two answers each. The server sent those to one of them by
 * itself and the others for entries, as it had read the requests.
 */
static void answers_alike(struct attribution_fixture *f)
{
	both_answered(f);
	writes_pipe(f, 300, 2);
	writes_pipe(f, 315, 2);
	writes_watched(f, 330, 0);
	writes_watched(f, 345, 0);
	polls_and_reads(f, 360, 1);
	writes_pipe(f, 380, 1);
	reads_entry(f, 395, 1);
	polls_and_reads(f, 405, 1);
	writes_pipe(f, 425, 1);
	writes_entry(f, 440, 1);
	reads_entry(f, 455, 1);
	writes_entry(f, 465, 1);
	reads(f, 480, 2);
	reads(f, 490, 2);
	reads(f, 500, 0);
	reads(f, 510, 0);
	at(f, 600);
}

/* The server reads the client's first request, and then another client's for an
 * entry of an io_uring, before it answers the first.
 */
static void entry_in_between(struct attribution_fixture *f)
{
	all_run(f);
	sleeps(f, 110, 1, SERVER, "do_sys_poll");
	writes_to(f, 120, 0, SERVER);
	rises(f, 135, 1, SERVER);
	reads(f, 150, 1);
	asks(f, 160, 0, CLIENT);
	asks(f, 180, 2, OTHER);
	reads_entry(f, 200, 1);
	answers(f, 220, CLIENT);
	at(f, 400);
}

/* The server finds a hello while its sender sends the first of two requests. */
static void hello_found_early(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	client_slept(f, 215);
	calls(f, 220, 0, "pipe_write");
	reads(f, 230, 1);
	returns(f, 240, 0);
	asks(f, 250, 0, CLIENT);
	reads(f, 280, 1);
	answers(f, 290, CLIENT);
	reads(f, 320, 1);
	sleeps(f, 330, 0, CLIENT, "pipe_read");
	answers(f, 340, CLIENT);
	at(f, 400);
}

/* The server finds a hello, and the thread that it creates then finds the
 * request.
 */
static void parent_finds_hello(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	client_slept(f, 215);
	asks(f, 220, 0, CLIENT);
	reads(f, 240, 1);
	at(f, 250);
	life(f, 1, SIDEBAND_FORK, 27);
	at(f, 255);
	starts(f, 3, 27);
	reads(f, 260, 3);
	writes_to(f, 280, 3, CLIENT);
	rises(f, 295, 0, CLIENT);
	at(f, 400);
}

/* Like hello_before_entries(), but the thread of the kernel finds the second
 * message after it passed on the first one.
 */
static void found_one_by_one(struct attribution_fixture *f)
{
	ring_runs(f);
	hears_hello(f);
	asks(f, 160, 2, OTHER);
	calls(f, 178, 1, "io_cqring_wait");
	waits(f, 179, 1, SERVER, 21);
	at(f, 180);
	enter(f, 4, "io_submit_sqes");
	reads(f, 181, 4);
	at(f, 188);
	wakes(f, 4, SERVER);
	leave(f, 4);
	asks(f, 190, 0, CLIENT);
	at(f, 210);
	schedules(f, 1, 21, 0, SERVER);
	goes_on(f, 212, 1);
	returns(f, 215, 1);
	reads_entry(f, 220, 4);
	kernel_writes(f, 250, 260, OTHER);
	kernel_writes(f, 275, 280, CLIENT);
	rises(f, 300, 2, OTHER);
	rises(f, 310, 0, CLIENT);
	at(f, 400);
}

/* Like hello_before_entries(), but the server finds the completions in memory.
 */
static void completions_in_memory(struct attribution_fixture *f)
{
	ring_runs(f);
	hears_hello(f);
	both_ask(f);
	kernel_reads(f, 220);
	kernel_reads(f, 229);
	calls(f, 236, 1, "io_cqring_wait");
	returns(f, 237, 1);
	kernel_writes(f, 250, 260, OTHER);
	kernel_writes(f, 275, 280, CLIENT);
	rises(f, 300, 2, OTHER);
	rises(f, 310, 0, CLIENT);
	at(f, 400);
}

/* Like completions_in_memory(), for the client of the hello alone. */
static void hello_before_entry(struct attribution_fixture *f)
{
	ring_runs(f);
	hears_hello(f);
	asks(f, 160, 0, CLIENT);
	kernel_reads(f, 220);
	kernel_writes(f, 250, 260, CLIENT);
	rises(f, 310, 0, CLIENT);
	at(f, 400);
}

static const struct request_story stories[] = {
	{ "a hello before others", hello_before_others,
	  "17>8 160+100?: c15 w10 q60 k15\n"
	  "7>8 120+100 no answer: c5 r10 k85\n"
	  "7>8 190+100?: c15 w10 q45 k30 / k125\n",
	  NOTHING_TELLS },
	{ "a hello before entries", hello_before_entries,
	  "7>8 120+101? no answer: c5 q5 r10 k81 / k2\n"
	  "17>8 160+145?: c15 w35 q60 r3 k32 by 28\n"
	  "7>8 190+125?: c15 w25 q65 k20 / k115\n",
	  NOTHING_TELLS },
	{ "a hello before entries, found one by one", found_one_by_one,
	  "7>8 120+61? no answer: c5 q2 r10 k44 / k1\n"
	  "17>8 160+145?: c15 w35 q11 r22 k62 by 28 / k10\n"
	  "7>8 190+125?: c15 w25 q50 k35 / k115\n",
	  NOTHING_TELLS },
	{ "a hello before entries, completed in memory", completions_in_memory,
	  "17>8 160+145?: c15 w35 q14 k81 by 7 / r10 k35\n"
	  "7>8 120+5? no answer: c5 / k166\n"
	  "7>8 190+125?: c15 w25 q65 k20 / k115\n",
	  NOTHING_TELLS },
	{ "a hello before one entry", hello_before_entry,
	  "7>8 120+5? no answer: c5 / k151\n"
	  "7>8 160+155?: c15 w45 k95 / r10 k170\n",
	  NOTHING_TELLS },
	{ "an epoll has the newer", epoll_has_newer,
	  "7>8 110+45?: c15 w5 q5 k20 / k30\n"
	  "17>8 160+45?: c15 w5 q5 k20 / k145\n"
	  "7>8 320+80?: c15 w10 q10 k45\n"
	  "17>8 300+130?: c15 w10 q75 k30 / k85\n",
	  NOTHING_TELLS },
	{ "answers are sent as requests are read", answers_alike,
	  "7>8 110+45?: c15 w5 q5 k20 / k30\n"
	  "17>8 160+45?: c15 w5 q5 k20 / k165\n"
	  "17>8 300+185?: c15 w29 q115 k26\n"
	  "17>8 315+180?: c15 w14 q130 k21\n"
	  "7>8 330+175?: c15 w110 q20 k30 / k129\n"
	  "7>8 345+170?: c15 w75 q50 k30 / k4\n",
	  NOTHING_TELLS },
	{ "an answer corrects", answer_corrects,
	  "7>8 110+45?: c15 w5 q5 k20 / k30\n"
	  "17>8 160+45?: c15 w5 q5 k20 / k145\n"
	  "7>8 320+80?: c15 w10 q10 k45 / k15\n"
	  "17>8 300+160?: c15 w10 q90 k45 / k55\n",
	  NOTHING_TELLS },
	{ "an entry of a stranger", entry_of_stranger,
	  "7>8 110+45?: c15 w5 q5 k20 / k120\n"
	  "7>8 200+125?: c15 w25 q55 k30 / k30\n"
	  "17>8 230+105?: c15 w20 q15 k55 / k105\n"
	  "7>8 212+178?: c15 w10 q118 k35 / k25\n",
	  NOTHING_TELLS },
	{ "an entry in between", entry_in_between,
	  "7>8 120+120?: c10 w10 r10 k90 / k175\n", NOTHING_TELLS },
	{ "a hello found early", hello_found_early,
	  "7>8 220+90?: c20 w10 q45 k15 / k25\n"
	  "7>8 250+110?: c15 w10 q60 k25 / k55\n",
	  NOTHING_TELLS },
	{ "a parent finds a hello", parent_finds_hello,
	  "7>27 220+80?: c15 w10 q30 k25 / k115\n", NOTHING_TELLS },
};

SUITE("request_pairing")
{
	REQUEST_STORIES(stories);
}
