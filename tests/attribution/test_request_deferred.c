/* SPDX-License-Identifier: MIT */
/* Requests whose servers queue work items, or start work of the disk or the
 * journal, and then wait for it or not.
 */
#include "attribution/events/known_events.h"
#include "tests/fixtures/request_story.h"

enum { ITEM = 0x600, DISK = 0x800010 };

/* The client's message wakes the server; a kworker has CPU 3. */
static void asks(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	calls(f, 200, 0, "pipe_write");
	at(f, 205);
	wakes(f, 0, SERVER);
	returns(f, 210, 0);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	rises(f, 220, 1, SERVER);
}

/* The server reads the client's message without a wake-up, so the sender is
 * unknown.
 */
static void has_found(struct attribution_fixture *f)
{
	all_run(f);
	starts(f, 3, KWORKER);
	calls(f, 200, 0, "pipe_write");
	returns(f, 210, 0);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	calls(f, 220, 1, "pipe_read");
	returns(f, 225, 1);
}

static void answers(struct attribution_fixture *f, uint64_t time_ns)
{
	calls(f, time_ns, 1, "pipe_write");
	at(f, time_ns + 5);
	wakes(f, 1, CLIENT);
	returns(f, time_ns + 10, 1);
	sleeps(f, time_ns + 15, 1, SERVER, "pipe_read");
	rises(f, time_ns + 40, 0, CLIENT);
	at(f, 600);
}

/* The thread on @cpu is in a system call from @time_ns on that queues the item. */
static void queues(struct attribution_fixture *f, uint64_t time_ns,
		   uint32_t cpu)
{
	calls(f, time_ns, cpu, "helper");
	at(f, time_ns + 5);
	event(f, cpu, EVENT_WORK_QUEUE, ITEM, 0, 0);
}

static void item_wakes(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	wakes(f, 3, SERVER);
}

/* The item wakes the server, which then answers. */
static void item_lets_go_on(struct attribution_fixture *f)
{
	item_wakes(f, 270);
	item_ends(f, 280);
	rises(f, 290, 1, SERVER);
	answers(f, 300);
}

/* The server sleeps until the item wakes it. */
static void awaited(struct attribution_fixture *f)
{
	asks(f);
	queues(f, 230, 1);
	waits(f, 240, 1, SERVER, 21);
	item_begins(f, 250, ITEM);
	item_lets_go_on(f);
}

/* The wake-up comes after the item. */
static void flushed(struct attribution_fixture *f)
{
	asks(f);
	queues(f, 230, 1);
	waits(f, 240, 1, SERVER, 21);
	item_begins(f, 250, ITEM);
	item_ends(f, 265);
	item_begins(f, 268, 0x900);
	enter(f, 3, "wq_barrier_func");
	jump(f, 3, "try_to_wake_up");
	item_wakes(f, 270);
	item_ends(f, 272);
	item_ends(f, 280);
	rises(f, 290, 1, SERVER);
	answers(f, 300);
}

/* The item has begun when the server goes to sleep, and wakes it twice. */
static void early(struct attribution_fixture *f)
{
	asks(f);
	queues(f, 226, 1);
	item_begins(f, 235, ITEM);
	waits(f, 240, 1, SERVER, 21);
	item_wakes(f, 250);
	at(f, 255);
	schedules(f, 1, 21, 0, SERVER);
	goes_on(f, 258, 1);
	waits(f, 262, 1, SERVER, 21);
	item_lets_go_on(f);
}

/* No thread waits for the item. */
static void left(struct attribution_fixture *f)
{
	asks(f);
	queues(f, 230, 1);
	returns(f, 240, 1);
	item_begins(f, 250, ITEM);
	item_ends(f, 280);
	answers(f, 300);
}

/* The server is woken by an item that another thread has queued. */
static void of_another(struct attribution_fixture *f)
{
	asks(f);
	queues(f, 226, 2);
	returns(f, 232, 2);
	calls(f, 235, 1, "helper");
	waits(f, 240, 1, SERVER, 21);
	item_begins(f, 250, ITEM);
	item_lets_go_on(f);
}

/* The server's client is unknown until it has answered. */
static void found(struct attribution_fixture *f)
{
	has_found(f);
	queues(f, 230, 1);
	waits(f, 240, 1, SERVER, 21);
	item_begins(f, 250, ITEM);
	item_lets_go_on(f);
}

/* Like found(), but no thread waits for the item. */
static void found_and_left(struct attribution_fixture *f)
{
	has_found(f);
	queues(f, 230, 1);
	returns(f, 240, 1);
	item_begins(f, 250, ITEM);
	item_ends(f, 280);
	answers(f, 300);
}

/* The server sends a request to the disk, and sleeps. */
static void asks_disk(struct attribution_fixture *f)
{
	asks(f);
	calls(f, 230, 1, "helper");
	event(f, 1, EVENT_BIO_QUEUE, DISK, 64, 8);
	waits(f, 240, 1, SERVER, 21);
}

static void interrupt_queues(struct attribution_fixture *f)
{
	event(f, 2, EVENT_WORK_QUEUE, ITEM, 0, 0);
	at(f, 255);
	leave(f, 2);
	item_begins(f, 260, ITEM);
	item_lets_go_on(f);
}

/* An interrupt completes the disk request, and queues the item. */
static void disk_queues(struct attribution_fixture *f, int64_t sectors)
{
	at(f, 250);
	enter(f, 2, "asm_sysvec_apic_timer_interrupt");
	event(f, 2, EVENT_REQUEST_COMPLETE, DISK, 64, sectors);
	interrupt_queues(f);
}

static void behind_disk(struct attribution_fixture *f)
{
	asks_disk(f);
	disk_queues(f, 8);
}

/* The interrupt also completes another thread's request. */
static void merged(struct attribution_fixture *f)
{
	asks_disk(f);
	calls(f, 245, 2, "helper");
	event(f, 2, EVENT_BIO_QUEUE, DISK, 72, 8);
	returns(f, 247, 2);
	disk_queues(f, 16);
}

/* The beneficiary of an item that the next interrupt queues is unknown. */
static void next_interrupt(struct attribution_fixture *f)
{
	asks_disk(f);
	at(f, 242);
	enter(f, 2, "asm_sysvec_apic_timer_interrupt");
	event(f, 2, EVENT_REQUEST_COMPLETE, DISK, 64, 8);
	leave(f, 2);
	at(f, 250);
	enter(f, 2, "asm_sysvec_apic_timer_interrupt");
	interrupt_queues(f);
}

/* The kworker is the journal's thread, which writes from @begin_ns on; the
 * commit unblocks the server.
 */
static void commits(struct attribution_fixture *f, uint64_t begin_ns)
{
	at(f, begin_ns);
	schedules(f, 3, 23, 0, KWORKER);
	goes_on(f, begin_ns, 3);
	enter(f, 3, "jbd2_journal_commit_transaction");
}

static void journal_sleeps(struct attribution_fixture *f)
{
	asks(f);
	waits(f, 226, 3, KWORKER, 23);
}

static void committed(struct attribution_fixture *f)
{
	journal_sleeps(f);
	calls(f, 230, 1, "helper");
	at(f, 235);
	wakes(f, 1, KWORKER);
	waits(f, 240, 1, SERVER, 21);
	commits(f, 250);
	item_lets_go_on(f);
}

/* The journal is already being written, on behalf of an unknown thread. */
static void waits_for_commit(struct attribution_fixture *f)
{
	journal_sleeps(f);
	commits(f, 230);
	calls(f, 235, 1, "helper");
	waits(f, 240, 1, SERVER, 21);
	item_lets_go_on(f);
}

/* The journal's thread was woken by another thread than the server. */
static void commit_of_another(struct attribution_fixture *f)
{
	journal_sleeps(f);
	calls(f, 228, 2, "helper");
	wakes(f, 2, KWORKER);
	returns(f, 229, 2);
	commits(f, 230);
	calls(f, 235, 1, "helper");
	waits(f, 240, 1, SERVER, 21);
	item_lets_go_on(f);
}

static const struct request_story stories[] = {
	{ "awaited", awaited, "7>8 200+145: c10 w35 q10 r35 k55 / k22\n",
	  NOTHING_TELLS },
	{ "flushed", flushed, "7>8 200+145: c10 w35 q10 r35 k55 / k22\n",
	  NOTHING_TELLS },
	{ "begun before", early, "7>8 200+145: c10 w35 r40 k60 / k39\n",
	  NOTHING_TELLS },
	{ "left", left, "7>8 200+145: c10 w35 r15 k85 / k42\n", NOTHING_TELLS },
	{ "another's", of_another, "7>8 200+145: c10 w35 r35 k35 a30 / k12\n",
	  NOTHING_TELLS },
	{ "found", found, "7>8 200+145?: c15 w35 q20 r20 k55 / k22\n",
	  NOTHING_TELLS },
	{ "found, left", found_and_left,
	  "7>8 200+145?: c15 w35 q10 k85 / k42\n", NOTHING_TELLS },
	{ "behind the disk", behind_disk,
	  "7>8 200+145: c10 w35 q10 r35 k45 a10 / k22\n", NOTHING_TELLS },
	{ "two threads' at once", merged,
	  "7>8 200+145: c10 w35 r35 k35 a30 / k12\n", NOTHING_TELLS },
	{ "the next interrupt", next_interrupt,
	  "7>8 200+145: c10 w35 r35 k35 a30 / k12\n", NOTHING_TELLS },
	{ "the journal", committed, "7>8 200+145: c10 w35 q10 r35 k55 / k22\n",
	  NOTHING_TELLS },
	{ "a journal's wait", waits_for_commit,
	  "7>8 200+145?: c10 w35 r35 k65 / k32\n", NOTHING_TELLS },
	{ "another's journal", commit_of_another,
	  "7>8 200+145: c10 w35 r35 k35 a30 / k12\n", NOTHING_TELLS },
};

SUITE("request_deferred")
{
	REQUEST_STORIES(stories);
}
