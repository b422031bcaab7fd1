/* SPDX-License-Identifier: MIT */
#include "attribution/lock_waits.h"
#include "attribution/trackers.h"
#include "decoder/recording/tracepoint.h"
#include "tables/waits/locks_table_internal.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

static const struct lock_name mutex = { 0xffff888000001000, 0, -1, LOCK_MUTEX,
					0 };
static const struct lock_name inner = { 0xffff888000001008, 0, -1, LOCK_SPIN,
					0 };
static const struct lock_name words[] = { { 0x7000, 0, 7, LOCK_FUTEX, 0 },
					  { 0x7000, 0, 8, LOCK_FUTEX, 0 } };
static const struct lock_name files[] = { { 1234, 0xfe00001, -1, LOCK_FILE, 0 },
					  { 1234, 0x800001, -1, LOCK_FILE,
					    0 } };

enum { TAKER = 5, OTHER = 6 };

/* Waits that are added up as they end. */
struct locks {
	struct lock_callback callback; /* first */
	struct lock_waits waits;
	struct lock_stats stats;
};

static int add(struct lock_callback *callback, const struct lock_wait *wait)
{
	return lock_stats_add(&((struct locks *)callback)->stats, wait, 0);
}

static void open_both(struct locks *locks)
{
	locks->callback.consume = add;
	lock_waits_open(&locks->waits, &locks->callback);
	locks->stats = LOCK_STATS_NONE;
}

static void close_both(struct locks *locks)
{
	lock_waits_close(&locks->waits);
	lock_stats_free(&locks->stats);
}

static void begin(struct locks *locks, int32_t tid,
		  const struct lock_name *lock, uint32_t function,
		  uint64_t time_ns)
{
	const struct task task = { .tid = tid, .pid = tid };

	ck_assert_int_eq(lock_waits_begin(&locks->waits, &task, lock, function,
					  0, time_ns),
			 0);
}

static void end(struct locks *locks, int32_t tid, const struct lock_name *lock,
		uint64_t time_ns)
{
	ck_assert_int_eq(lock_waits_end(&locks->waits, tid, lock, time_ns), 0);
}

/* Three wait for one lock, which 1 holds; each lets the next one go. */
START_TEST(waiters_of_one_lock_are_counted)
{
	struct locks locks;
	const struct lock_stat *stat;

	open_both(&locks);
	for (int32_t tid = 2; tid <= 4; tid++)
		begin(&locks, tid, &mutex, TAKER, (uint64_t)tid * 100);
	for (int32_t tid = 2; tid <= 4; tid++) {
		lock_waits_wake(&locks.waits, tid, tid == 2 ? 1 : 9);
		end(&locks, tid, &mutex, 1000);
	}
	lock_stats_sort(&locks.stats);
	ck_assert_uint_eq(locks.stats.all.items.count, 1);
	stat = array_at(&locks.stats.all.items, 0);
	ck_assert_uint_eq(stat->waits.count, 3);
	ck_assert_uint_eq(stat->waits.total, 800 + 700 + 600);
	ck_assert_uint_eq(stat->waits.max, 800);
	ck_assert_uint_eq(stat->others_at_begin, 2);
	ck_assert_uint_eq(stat->others_at_end, 2);
	ck_assert_uint_eq(stat->releases.items.count, 2);
	ck_assert_int_eq(
		((struct lock_release *)array_at(&stat->releases.items, 0))->tid,
		9);
	close_both(&locks);
}
END_TEST

/* The waiter spins first, and then sleeps: the kernel reports two begins; in
 * between it waits for the inner lock.
 */
START_TEST(a_wait_that_begins_twice_is_one)
{
	struct locks locks;
	const struct lock_stat *stat;

	open_both(&locks);
	begin(&locks, 2, &mutex, TAKER, 100);
	begin(&locks, 2, &inner, TAKER, 110);
	end(&locks, 2, &inner, 120);
	begin(&locks, 2, &mutex, TAKER, 130);
	end(&locks, 2, &mutex, 200);
	end(&locks, 2, &mutex, 300);
	lock_stats_sort(&locks.stats);
	ck_assert_uint_eq(locks.stats.all.items.count, 2);
	stat = array_at(&locks.stats.all.items, 0);
	ck_assert_uint_eq(stat->lock.address, mutex.address);
	ck_assert_uint_eq(stat->waits.count, 1);
	ck_assert_uint_eq(stat->waits.total, 100);
	close_both(&locks);
}
END_TEST

START_TEST(what_is_told_apart)
{
	struct locks locks;

	open_both(&locks);
	begin(&locks, 2, &mutex, TAKER, 100);
	begin(&locks, 3, &mutex, OTHER, 100);
	begin(&locks, 7, &words[0], TAKER, 100);
	begin(&locks, 8, &words[1], TAKER, 100);
	end(&locks, 2, &mutex, 200);
	end(&locks, 3, &mutex, 200);
	end(&locks, 7, &words[0], 200);
	end(&locks, 8, &words[1], 200);
	ck_assert_uint_eq(locks.stats.all.items.count, 4);
	for (size_t i = 2; i < 4; i++)
		ck_assert_uint_eq(((struct lock_stat *)array_at(
					   &locks.stats.all.items, i))
					  ->others_at_begin,
				  0);
	close_both(&locks);
}
END_TEST

/* The same inode on two devices; a woken thread may have to wait again, and
 * gives up in the end.
 */
START_TEST(a_file_is_of_a_device)
{
	struct locks locks;
	const struct lock_stat *stat;

	open_both(&locks);
	begin(&locks, 2, &files[0], TAKER, 100);
	begin(&locks, 3, &files[1], TAKER, 110);
	begin(&locks, 2, &inner, OTHER, 120);
	end(&locks, 2, &inner, 130);
	begin(&locks, 2, &files[0], TAKER, 150);
	ck_assert_int_eq(
		lock_waits_end_kind(&locks.waits, 2, 1U << LOCK_FILE, 200), 0);
	ck_assert_int_eq(
		lock_waits_end_kind(&locks.waits, 2, 1U << LOCK_FILE, 210), 0);
	ck_assert_int_eq(
		lock_waits_end_kind(&locks.waits, 3, 1U << LOCK_FILE, 220), 0);
	ck_assert_int_eq(
		lock_waits_end_kind(&locks.waits, 4, 1U << LOCK_FILE, 230), 0);
	lock_stats_sort(&locks.stats);
	ck_assert_uint_eq(locks.stats.all.items.count, 3);
	stat = array_at(&locks.stats.all.items, 0);
	ck_assert_str_eq(lock_name_text(&stat->lock).text, "08:01:1234");
	ck_assert_uint_eq(stat->waits.total, 110);
	ck_assert_uint_eq(stat->others_at_begin, 0);
	stat = array_at(&locks.stats.all.items, 1);
	ck_assert_str_eq(lock_name_text(&stat->lock).text, "fe:01:1234");
	ck_assert_uint_eq(stat->waits.total, 100);
	ck_assert_str_eq(lock_name_text(&words[0]).text, "0x7000");
	ck_assert_str_eq(
		lock_name_text(&(struct lock_name){ .kind = LOCK_FUTEX }).text,
		"");
	close_both(&locks);
}
END_TEST

static const struct {
	int64_t flags;
	enum lock_kind kind;
} kinds[] = {
	{ 1, LOCK_SPIN },     { 1 | 2, LOCK_RW_SPIN },
	{ 32, LOCK_MUTEX },   { 32 | 1, LOCK_MUTEX },
	{ 2, LOCK_RW_SEM },   { 4, LOCK_RW_SEM },
	{ 8, LOCK_RT_MUTEX }, { 16 | 2, LOCK_PERCPU_RW_SEM },
	{ 0, LOCK_OTHER },
};

START_TEST(flags_are_kinds)
{
	ck_assert_int_eq(lock_kind_of(kinds[_i].flags), kinds[_i].kind);
}
END_TEST

/* Two bits of one word, a page and a variable are different objects, even at
 * one address.
 */
START_TEST(bits_pages_and_variables_are_objects)
{
	static const struct lock_name objects[] = {
		{ 0xffff888000002000, 0, -1, LOCK_BIT, 2 },
		{ 0xffff888000002000, 0, -1, LOCK_BIT, 3 },
		{ 0xffff888000003000, 0, -1, LOCK_PAGE, 0 },
	};
	struct locks locks;

	open_both(&locks);
	for (int i = 0; i < 3; i++)
		begin(&locks, i, &objects[i], 1, 10);
	begin(&locks, 3, &objects[0], 1, 20);
	for (int32_t tid = 0; tid < 4; tid++)
		ck_assert_int_eq(lock_waits_end_kind(
					 &locks.waits, tid,
					 1U << LOCK_PAGE | 1U << LOCK_BIT, 30),
				 0);
	ck_assert_uint_eq(locks.stats.all.items.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct lock_stat *stat =
			array_at(&locks.stats.all.items, i);

		ck_assert_uint_eq(stat->others_at_begin, !i);
		ck_assert_uint_eq(stat->others_at_end, !i);
	}
	ck_assert_str_eq(lock_name_text(&objects[1]).text,
			 "0xffff888000002000+3");
	ck_assert_str_eq(lock_name_text(&objects[2]).text,
			 "0xffff888000003000");
	close_both(&locks);
}
END_TEST

START_TEST(groups_of_waiters_have_rows_of_their_own)
{
	struct lock_stats stats = LOCK_STATS_NONE;
	const struct lock_wait wait = {
		.lock = mutex,
		.function = TAKER,
		.waker = -1,
		.begin_ns = 10,
		.end_ns = 30,
	};

	ck_assert_int_eq(lock_stats_add(&stats, &wait, 1), 0);
	ck_assert_int_eq(lock_stats_add(&stats, &wait, 2), 0);
	ck_assert_int_eq(lock_stats_add(&stats, &wait, 2), 0);
	lock_stats_sort(&stats);
	ck_assert_uint_eq(stats.all.items.count, 2);
	for (int i = 0; i < 2; i++) {
		const struct lock_stat *stat =
			array_at(&stats.all.items, (size_t)i);

		ck_assert_int_eq(stat->group, 2 - i);
		ck_assert_uint_eq(stat->waits.total, i ? 20 : 40);
	}
	lock_stats_free(&stats);
}
END_TEST

static const char kernel[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			     "ffffffff81000100 T folio_wait_bit_common\n"
			     "ffffffff81000200 T io_schedule\n"
			     "ffffffff81000300 T read_pages\n"
			     "ffffffff81000400 T wake_page_function\n";

#define PAGE UINT64_C(0xffffea0000001000)

enum { STACK_WORDS = 24, WORD_BYTES = 8, PAGE_WORD = 6 };

/* Records of io_schedule() with words of the stack, of which one is the page if
 * wake_page_function() is four words after it.
 */
static const struct {
	uint32_t last_offset; /* of the field of the last word */
	uint64_t function;    /* at the word after the page */
	uint32_t size;	      /* of the record */
	uint64_t page;	      /* 0: no wait */
} stacks[] = {
	{ 8 + (STACK_WORDS - 1) * WORD_BYTES, 0xffffffff81000400,
	  8 + STACK_WORDS *WORD_BYTES, PAGE },
	{ 8 + (STACK_WORDS - 1) * WORD_BYTES, 0xffffffff81000404,
	  8 + STACK_WORDS *WORD_BYTES, 0 },
	/* records that are too short, or of another layout */
	{ 8 + (STACK_WORDS - 1) * WORD_BYTES, 0xffffffff81000400,
	  8 + (PAGE_WORD + 4) * WORD_BYTES, 0 },
	{ 8, 0xffffffff81000400, 8 + STACK_WORDS *WORD_BYTES, 0 },
};

struct seen_wait {
	struct lock_callback callback; /* first */
	struct lock_wait wait;
};

static int see(struct lock_callback *callback, const struct lock_wait *wait)
{
	((struct seen_wait *)callback)->wait = *wait;
	return 0;
}

START_TEST(a_page_is_found_on_the_stack_of_the_waiting_thread)
{
	const struct tracepoint_field fields[EVENT_MAX_FIELDS] = {
		[STACK_FIRST] = { .offset = 8, .size = WORD_BYTES },
		[STACK_LAST] = { .offset = stacks[_i].last_offset,
				 .size = WORD_BYTES },
	};
	uint64_t raw[1 + STACK_WORDS] = { 0 };
	const int32_t nobody = 99;
	struct seen_wait seen = { .callback.consume = see };
	struct table_scene scene;

	raw[1 + PAGE_WORD] = PAGE;
	raw[1 + PAGE_WORD + 4] = stacks[_i].function;
	table_scene_begin(&scene, &locks_table, NULL, kernel,
			  sizeof(kernel) - 1);
	ck_assert_ptr_nonnull(
		trackers_locks(scene.input.trackers, &seen.callback));
	/* The table has no row, for which it would read the recording's code. */
	scene.filter = (struct step_filter){ .pids = &nobody,
					     .pid_count = 1,
					     .names = scene.names };
	follow_script(scene.f, "starts:7 100 entry_SYSCALL_64( read_pages( "
			       "folio_wait_bit_common( io_schedule(");
	raw_event(scene.f, 0, EVENT_CALL_ARGUMENTS, fields, raw,
		  stacks[_i].size);
	follow_script(scene.f, "200 ) )");
	ck_assert_uint_eq(seen.wait.lock.address, stacks[_i].page);
	if (stacks[_i].page) {
		ck_assert_uint_eq(seen.wait.lock.kind, LOCK_PAGE);
		ck_assert_uint_eq(seen.wait.end_ns - seen.wait.begin_ns, 100);
	}
	table_scene_finish(&scene, "");
}
END_TEST

SUITE("lock_waits")
{
	TEST(groups_of_waiters_have_rows_of_their_own);
	TEST(waiters_of_one_lock_are_counted);
	TEST(a_wait_that_begins_twice_is_one);
	TEST(what_is_told_apart);
	TEST(a_file_is_of_a_device);
	TEST_EACH(a_page_is_found_on_the_stack_of_the_waiting_thread, stacks);
	TEST(bits_pages_and_variables_are_objects);
	TEST_EACH(flags_are_kinds, kinds);
}
