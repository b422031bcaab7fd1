/* SPDX-License-Identifier: MIT */
/* Requests whose messages wake no thread: they are inferred from the threads'
 * next actions.
 */
#include "tests/fixtures/request_story.h"

#include <stdbool.h>

static void reads_pipe(struct attribution_fixture *f, uint64_t time_ns,
		       uint32_t cpu, bool has_any)
{
	calls(f, time_ns, cpu, "pipe_read");
	at(f, time_ns + 2);
	if (has_any) {
		enter(f, cpu, "copy_page_to_iter");
		leave(f, cpu);
	}
	returns(f, time_ns + 5, cpu);
}

/* Neither the request nor the answer wakes a thread. */
static void exchange(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	writes_pipe(f, 240, 1);
	reads_pipe(f, 260, 0, true);
	at(f, 500);
}

/* Like exchange(), but the request is read before its write ends. */
static void early_exchange(struct attribution_fixture *f)
{
	all_run(f);
	calls(f, 200, 0, "pipe_write");
	reads_pipe(f, 220, 1, true);
	writes_pipe(f, 240, 1);
	returns(f, 255, 0);
	reads_pipe(f, 260, 0, true);
	at(f, 500);
}

/* The server sleeps in @function, or continues from there. */
static void server_waits(struct attribution_fixture *f, uint64_t time_ns,
			 const char *function)
{
	calls(f, time_ns, 1, function);
	waits(f, time_ns + 5, 1, SERVER, 9);
}

static void server_wakes(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	schedules(f, 1, 9, 0, SERVER);
	goes_on(f, time_ns + 5, 1);
	returns(f, time_ns + 10, 1);
}

static void wakes_by_pipe(struct attribution_fixture *f, uint64_t time_ns,
			  uint32_t cpu, int32_t tid)
{
	calls(f, time_ns, cpu, "pipe_write");
	at(f, time_ns + 5);
	wakes(f, cpu, tid);
	returns(f, time_ns + 10, cpu);
}

/* The client sends a hello, which needs no answer, sleeps, and sends a request.
 */
static void hello(struct attribution_fixture *f)
{
	all_run(f);
	server_waits(f, 110, "do_sys_poll");
	wakes_by_pipe(f, 200, 0, SERVER);
	server_wakes(f, 220);
	reads_pipe(f, 240, 1, true);
	server_waits(f, 250, "do_sys_poll");
	client_slept(f, 300);
	wakes_by_pipe(f, 320, 0, SERVER);
	server_wakes(f, 340);
	reads_pipe(f, 360, 1, true);
	writes_pipe(f, 380, 1);
	reads_pipe(f, 400, 0, true);
	at(f, 500);
}

/* Like hello(), but the server finds the hello without sleeping, and then
 * another message that was sent ahead.
 */
static void hello_found(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	server_waits(f, 240, "do_sys_poll");
	client_slept(f, 280);
	wakes_by_pipe(f, 300, 0, SERVER);
	writes_pipe(f, 320, 0);
	calls(f, 335, 0, "do_sys_poll");
	waits(f, 338, 0, CLIENT, 10);
	server_wakes(f, 340);
	reads_pipe(f, 355, 1, true);
	wakes_by_pipe(f, 365, 1, CLIENT);
	reads_pipe(f, 380, 1, true);
	at(f, 390);
	schedules(f, 0, 10, 0, CLIENT);
	goes_on(f, 393, 0);
	returns(f, 395, 0);
	reads_pipe(f, 400, 0, true);
	writes_pipe(f, 420, 1);
	reads_pipe(f, 440, 0, true);
	at(f, 500);
}

/* Like hello_found(), but the server finds both before it answers. */
static void hello_both_found(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	client_slept(f, 220);
	writes_pipe(f, 240, 0);
	reads_pipe(f, 260, 1, true);
	reads_pipe(f, 280, 1, true);
	calls(f, 285, 0, "pipe_read");
	waits(f, 290, 0, CLIENT, 10);
	wakes_by_pipe(f, 300, 1, CLIENT);
	at(f, 320);
	schedules(f, 0, 10, 0, CLIENT);
	goes_on(f, 325, 0);
	enter(f, 0, "copy_page_to_iter");
	leave(f, 0);
	returns(f, 330, 0);
	at(f, 500);
}

/* The server reads another pipe in between, which is empty. */
static void nothing(struct attribution_fixture *f)
{
	all_run(f);
	writes_pipe(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	writes_pipe(f, 240, 1);
	reads_pipe(f, 260, 0, true);
	writes_pipe(f, 280, 0);
	reads_pipe(f, 300, 1, false);
	reads_pipe(f, 350, 1, true);
	writes_pipe(f, 380, 1);
	reads_pipe(f, 400, 0, true);
	at(f, 500);
}

/* Both clients have been answered. */
static void both_known(struct attribution_fixture *f)
{
	nothing(f);
	writes_pipe(f, 520, 2);
	reads_pipe(f, 540, 1, true);
	writes_pipe(f, 560, 1);
	reads_pipe(f, 580, 2, true);
}

/* After the server polled all clients, it reads once from each. */
static void rounds(struct attribution_fixture *f)
{
	both_known(f);
	writes_pipe(f, 600, 0);
	writes_pipe(f, 620, 0);
	writes_pipe(f, 640, 2);
	calls(f, 660, 1, "do_sys_poll");
	returns(f, 665, 1);
	reads_pipe(f, 670, 1, true);
	writes_pipe(f, 700, 1);
	reads_pipe(f, 720, 1, true);
	writes_pipe(f, 740, 1);
	reads_pipe(f, 760, 0, true);
	reads_pipe(f, 780, 2, true);
	at(f, 900);
}

/* A client that has been answered is not waiting, though it has not read the
 * answer yet.
 */
static void second_round(struct attribution_fixture *f)
{
	both_known(f);
	writes_pipe(f, 600, 0);
	writes_pipe(f, 620, 0);
	writes_pipe(f, 640, 2);
	for (uint64_t time_ns = 660; time_ns < 760; time_ns += 50) {
		calls(f, time_ns, 1, "do_sys_poll");
		returns(f, time_ns + 5, 1);
		reads_pipe(f, time_ns + 10, 1, true);
		writes_pipe(f, time_ns + 30, 1);
	}
	reads_pipe(f, 760, 1, true);
	writes_pipe(f, 770, 1);
	reads_pipe(f, 790, 0, true);
	reads_pipe(f, 800, 0, true);
	reads_pipe(f, 810, 2, true);
	at(f, 900);
}

/* The server is woken by one client, and reads the other's earlier message. */
static void woken_by_other(struct attribution_fixture *f)
{
	both_known(f);
	server_waits(f, 600, "do_sys_poll");
	calls(f, 610, 0, "pipe_write");
	wakes_by_pipe(f, 620, 2, SERVER);
	returns(f, 640, 0);
	server_wakes(f, 650);
	reads_pipe(f, 665, 1, true);
	writes_pipe(f, 680, 1);
	reads_pipe(f, 700, 1, true);
	calls(f, 710, 2, "pipe_read");
	waits(f, 712, 2, OTHER, 11);
	reads_pipe(f, 715, 0, true);
	wakes_by_pipe(f, 725, 1, OTHER);
	at(f, 740);
	schedules(f, 2, 11, 0, OTHER);
	goes_on(f, 745, 2);
	enter(f, 2, "copy_page_to_iter");
	leave(f, 2);
	returns(f, 750, 2);
	at(f, 900);
}

/* @tid on @cpu sends a request by a socket that wakes no thread. */
static void asks_by_socket(struct attribution_fixture *f, uint64_t time_ns,
			   uint32_t cpu, int32_t tid)
{
	calls(f, time_ns, cpu, "unix_stream_sendmsg");
	returns(f, time_ns + 10, cpu);
	calls(f, time_ns + 15, cpu, "pipe_read");
	waits(f, time_ns + 18, cpu, tid, 9 + (int32_t)cpu);
}

static void is_answered(struct attribution_fixture *f, uint64_t time_ns,
			uint32_t cpu, int32_t tid)
{
	at(f, time_ns);
	schedules(f, cpu, 9 + (int32_t)cpu, 0, tid);
	goes_on(f, time_ns + 5, cpu);
	enter(f, cpu, "copy_page_to_iter");
	leave(f, cpu);
	returns(f, time_ns + 10, cpu);
}

/* The answer, by a pipe, wakes @tid. */
static void serves(struct attribution_fixture *f, uint64_t time_ns, int32_t tid)
{
	calls(f, time_ns, 1, "unix_stream_read_generic");
	returns(f, time_ns + 5, 1);
	wakes_by_pipe(f, time_ns + 20, 1, tid);
}

static void another_way_back(struct attribution_fixture *f)
{
	all_run(f);
	asks_by_socket(f, 200, 0, CLIENT);
	serves(f, 220, CLIENT);
	is_answered(f, 260, 0, CLIENT);
	at(f, 500);
}

/* One client is known, and has sent a request; the message the server finds is
 * from another client, whom it answers.
 */
static void found_another(struct attribution_fixture *f)
{
	all_run(f);
	asks_by_socket(f, 200, 2, OTHER);
	serves(f, 220, OTHER);
	is_answered(f, 260, 2, OTHER);
	asks_by_socket(f, 300, 0, CLIENT);
	asks_by_socket(f, 320, 2, OTHER);
	serves(f, 350, CLIENT);
	serves(f, 390, OTHER);
	is_answered(f, 430, 0, CLIENT);
	is_answered(f, 450, 2, OTHER);
	at(f, 500);
}

/* The server finds a client's message, sends a request to 27 for it, and finds
 * the other client's message before the first reads its answer.
 */
static void finds_another(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, 27);
	sleeps(f, 110, 3, 27, "pipe_read");
	writes_pipe(f, 200, 0);
	calls(f, 220, 1, "pipe_read");
	returns(f, 225, 1);
	writes_to(f, 240, 1, 27);
	sleeps(f, 260, 1, SERVER, "pipe_read");
	rises(f, 265, 3, 27);
	writes_to(f, 280, 3, SERVER);
	rises(f, 300, 1, SERVER);
	sleeps(f, 310, 3, 27, "pipe_read");
	writes_pipe(f, 320, 1);
	writes_pipe(f, 330, 2);
	calls(f, 350, 1, "pipe_read");
	returns(f, 355, 1);
	for (uint64_t time_ns = 360; time_ns < 460; time_ns += 20)
		writes_pipe(f, time_ns, 2);
	calls(f, 480, 0, "pipe_read");
	returns(f, 485, 0);
	at(f, 600);
}

/* The server answers and ends before the client, which did not sleep, reads. */
static void ends_before_read(struct attribution_fixture *f)
{
	all_run(f);
	server_waits(f, 110, "pipe_read");
	wakes_by_pipe(f, 200, 0, SERVER);
	server_wakes(f, 220);
	writes_pipe(f, 240, 1);
	at(f, 260);
	life(f, 1, SIDEBAND_EXIT, SERVER);
	reads_pipe(f, 300, 0, true);
	at(f, 500);
}

/* The server finds the message of @cpu's thread, and creates a thread for it.
 */
static void finds_and_forks(struct attribution_fixture *f, uint64_t time_ns,
			    uint32_t cpu, int32_t child, uint32_t child_cpu)
{
	writes_pipe(f, time_ns, cpu);
	reads_pipe(f, time_ns + 20, 1, true);
	at(f, time_ns + 30);
	life(f, 1, SIDEBAND_FORK, child);
	at(f, time_ns + 35);
	starts(f, child_cpu, child);
}

/* Threads that the server creates for the messages that it found answer them.
 */
static void found_by_parent(struct attribution_fixture *f)
{
	all_run(f);
	finds_and_forks(f, 200, 0, 27, 3);
	sleeps(f, 240, 0, CLIENT, "pipe_read");
	finds_and_forks(f, 250, 2, 28, 4);
	sleeps(f, 290, 2, OTHER, "pipe_read");
	writes_to(f, 300, 4, OTHER);
	rises(f, 315, 2, OTHER);
	writes_to(f, 330, 3, CLIENT);
	rises(f, 345, 0, CLIENT);
	at(f, 500);
}

/* Like found_by_parent(), but the answers wake nobody. */
static void found_by_all(struct attribution_fixture *f)
{
	all_run(f);
	finds_and_forks(f, 200, 0, 27, 3);
	finds_and_forks(f, 250, 2, 28, 4);
	writes_pipe(f, 300, 4);
	reads_pipe(f, 320, 2, true);
	writes_pipe(f, 340, 3);
	reads_pipe(f, 360, 0, true);
	at(f, 500);
}

/* A thread of the server's process executes the entries of its io_uring, which
 * it takes from shared memory: it reads, and the server works and has it write.
 */
static void executes_entries(struct attribution_fixture *f)
{
	ring_runs(f);
	server_waits(f, 110, "io_cqring_wait");
	writes_pipe(f, 200, 0);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	reads_pipe(f, 220, 4, true);
	at(f, 230);
	wakes(f, 4, SERVER);
	server_wakes(f, 240);
	at(f, 300);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, 310, 4, CLIENT);
	leave(f, 4);
	rises(f, 325, 0, CLIENT);
	at(f, 500);
}

/* Like executes_entries(), but the server finds the completion in memory. */
static void finds_completion(struct attribution_fixture *f)
{
	ring_runs(f);
	calls(f, 110, 1, "io_cqring_wait");
	returns(f, 120, 1);
	writes_pipe(f, 200, 0);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	reads_pipe(f, 220, 4, true);
	at(f, 300);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, 310, 4, CLIENT);
	leave(f, 4);
	rises(f, 325, 0, CLIENT);
	at(f, 500);
}

/* Like finds_completion(), but there is another worker, which has not executed
 * an entry yet.
 */
static void finds_beside_worker(struct attribution_fixture *f)
{
	belongs(f, 29, SERVER);
	at(f, 50);
	starts(f, 5, 29);
	waits(f, 60, 5, 29, 25);
	finds_completion(f);
}

/* The client's message wakes the server from its wait for the io_uring, which
 * then has the entry executed again: the worker reads that message.
 */
static void executes_again(struct attribution_fixture *f)
{
	server_waits(f, 110, "io_cqring_wait");
	at(f, 120);
	enter(f, 4, "io_submit_sqes");
	at(f, 130);
	leave(f, 4);
	wakes_by_pipe(f, 200, 0, SERVER);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	at(f, 225);
	schedules(f, 1, 9, 0, SERVER);
	at(f, 230);
	enter(f, 4, "io_submit_sqes");
	reads_pipe(f, 235, 4, true);
	at(f, 245);
	wakes(f, 4, SERVER);
	leave(f, 4);
	goes_on(f, 250, 1);
	returns(f, 255, 1);
	at(f, 300);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, 310, 4, CLIENT);
	leave(f, 4);
	rises(f, 325, 0, CLIENT);
	at(f, 500);
}

static void wakes_for_entry(struct attribution_fixture *f)
{
	ring_runs(f);
	executes_again(f);
}

/* Like wakes_for_entry(), but the server waits from before the recording. */
static void wakes_from_before(struct attribution_fixture *f)
{
	ring_starts(f);
	executes_again(f);
}

/* The server queues an entry that reads, and then polls. */
static void queues_and_polls(struct attribution_fixture *f, uint64_t time_ns)
{
	calls(f, time_ns, 1, "io_submit_sqes");
	returns(f, time_ns + 3, 1);
	server_waits(f, time_ns + 20, "do_sys_poll");
}

/* The server and then the worker answer what they read. */
static void both_answer(struct attribution_fixture *f)
{
	sleeps(f, 290, 0, CLIENT, "pipe_read");
	sleeps(f, 295, 2, OTHER, "pipe_read");
	writes_to(f, 310, 1, CLIENT);
	rises(f, 325, 0, CLIENT);
	at(f, 340);
	enter(f, 4, "io_submit_sqes");
	writes_to(f, 345, 4, OTHER);
	leave(f, 4);
	rises(f, 360, 2, OTHER);
	at(f, 500);
}

/* The other client's message was there before the worker could read. The
 * client's message wakes the server, whose worker reads first.
 */
static void worker_reads_first(struct attribution_fixture *f)
{
	ring_runs(f);
	at(f, 110);
	enter(f, 4, "io_submit_sqes");
	writes_pipe(f, 112, 2);
	queues_and_polls(f, 125);
	wakes_by_pipe(f, 200, 0, SERVER);
	reads_pipe(f, 215, 4, true);
	at(f, 222);
	leave(f, 4);
	server_wakes(f, 230);
	reads_pipe(f, 250, 1, true);
	both_answer(f);
}

/* The other client's message wakes the server for its entry, the client's for
 * the epoll: the server reads before the worker does.
 */
static void server_reads_first(struct attribution_fixture *f)
{
	ring_runs(f);
	at(f, 110);
	enter(f, 4, "io_submit_sqes");
	at(f, 115);
	leave(f, 4);
	queues_and_polls(f, 125);
	calls(f, 160, 2, "pipe_write");
	enter(f, 2, "io_poll_wake");
	wakes(f, 2, SERVER);
	at(f, 165);
	leave(f, 2);
	returns(f, 170, 2);
	server_wakes(f, 175);
	server_waits(f, 190, "do_sys_poll");
	wakes_by_pipe(f, 200, 0, SERVER);
	server_wakes(f, 230);
	reads_pipe(f, 250, 1, true);
	at(f, 260);
	enter(f, 4, "io_submit_sqes");
	reads_pipe(f, 265, 4, true);
	at(f, 272);
	leave(f, 4);
	both_answer(f);
}

static const struct request_story stories[] = {
	{ "an epoll and an io_uring, whose worker reads first",
	  worker_reads_first,
	  "7>8 200+115: c5 r25 k85 / k150\n"
	  "17>8 112+238?: c10 q93 k135 / k185\n",
	  NOTHING_TELLS },
	{ "an epoll and an io_uring, whose worker reads last",
	  server_reads_first,
	  "7>8 200+115?: c5 r25 k85 / k155\n"
	  "17>8 160+190?: q105 k85 / k185\n",
	  NOTHING_TELLS },
	{ "a parent finds them", found_by_parent,
	  "17>28 250+55?: c10 q15 k30 / k195\n"
	  "7>27 200+135?: c10 q15 k110 / k165\n",
	  NOTHING_TELLS },
	{ "entries of an io_uring", executes_entries,
	  "7>8 200+115?: c10 q10 r10 k85 by 28 / k185\n", NOTHING_TELLS },
	{ "entries of an io_uring, and nobody sleeps", finds_completion,
	  "7>8 200+115?: c10 q10 k95 / k390\n", NOTHING_TELLS },
	{ "entries of an io_uring, beside another worker", finds_beside_worker,
	  "7>8 200+115?: c10 q10 k95 / k390\n", NOTHING_TELLS },
	{ "entries of an io_uring, executed again", wakes_for_entry,
	  "7>8 200+115?: c5 q30 k80 by 28 / k440\n", NOTHING_TELLS },
	{ "entries of an io_uring, queued before", wakes_from_before,
	  "7>8 200+115?: c5 q30 k80 by 28 / k440\n", NOTHING_TELLS },
	{ "a parent finds them, and nobody sleeps", found_by_all,
	  "17>28 250+75?: c15 w10 q15 k35 / k190\n"
	  "7>27 200+165?: c15 w10 q15 k125 / k150\n",
	  NOTHING_TELLS },
	{ "ends before its answer is read", ends_before_read,
	  "7>8 200+105?: c10 w50 r15 k30 / k250\n", NOTHING_TELLS },
	{ "finds another", finds_another,
	  "8>27 240+65 for 200: c10 w15 r20 k20 / k25\n"
	  "7>8 200+285?: c15 w150 q10 r15 k72 d23 by 27\n",
	  NOTHING_TELLS },
	{ "found another", found_another,
	  "17>8 200+70?: c20 w15 q10 k25 / k105\n"
	  "7>8 300+140?: c20 w55 q40 k25\n"
	  "17>8 320+140?: c20 w35 q45 k40 / k85\n",
	  NOTHING_TELLS },
	{ "another way back", another_way_back,
	  "7>8 200+70?: c20 w15 q10 k25 / k255\n", NOTHING_TELLS },
	{ "exchange", exchange, "7>8 200+65?: c15 w10 q10 k30 / k250\n",
	  NOTHING_TELLS },
	{ "read while it is written", early_exchange,
	  "7>8 200+65?: c30 w10 k25 / k255\n", NOTHING_TELLS },
	{ "hello", hello,
	  "7>8 200+55? no answer: c5 r15 k35\n"
	  "7>8 320+85?: c10 w10 r15 k50 / k110\n",
	  NOTHING_TELLS },
	{ "hello, found", hello_found,
	  "7>8 300+105?: c20 w20 r35 k30 / k10\n"
	  "7>8 320+125?: c15 w10 q50 k50 / k70\n",
	  NOTHING_TELLS },
	{ "hello, both found", hello_both_found,
	  "7>8 240+90?: c20 w15 q30 k25 / k195\n", NOTHING_TELLS },
	{ "second round", second_round,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k90\n"
	  "7>8 600+195?: c15 w90 q50 k40 / k10\n"
	  "7>8 620+185?: c15 w50 q80 k40 / k10\n"
	  "17>8 640+175?: c15 w30 q110 k20 / k120\n",
	  NOTHING_TELLS },
	{ "woken by the other", woken_by_other,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k30\n"
	  "7>8 610+110?: c35 w25 r10 k40 by 17 / r15\n"
	  "17>8 620+130?: c15 w10 q75 k30 / k180\n",
	  NOTHING_TELLS },
	{ "no wake-ups", exchange, "", NO_WAKES },
	{ "nothing", nothing,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k110\n",
	  NOTHING_TELLS },
	{ "rounds", rounds,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k90\n"
	  "7>8 600+165?: c15 w50 q50 k50 / k10\n"
	  "17>8 640+145?: c15 w30 q70 k30 / k150\n",
	  NOTHING_TELLS },
};

SUITE("request_guesses")
{
	REQUEST_STORIES(stories);
}
