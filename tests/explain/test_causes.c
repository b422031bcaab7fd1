/* SPDX-License-Identifier: MIT */
/* The sums of a critical path by cause, and its longest waits. */
#include "explain/causes_internal.h"

#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <stdlib.h>

/* Threads by index: two processes of one program, a server, a kernel
 * thread, another server.
 */
enum { FIRST, SECOND, SERVER, KTHREAD, BACKEND, THREADS };

static const char *const comms[THREADS] = { "cc", "cc", "server", "kworker",
					    "backend" };

struct fixture {
	struct lives lives;
	struct task_names *names;
	struct causes causes;
};

static void begin(struct fixture *f)
{
	f->lives = LIVES_NONE;
	f->names = task_names_empty();
	for (uint32_t i = 0; i < THREADS; i++) {
		struct life *life = lives_reach(&f->lives, i);

		ck_assert_ptr_nonnull(life);
		life->tid = life->pid = (int32_t)i + 10;
		ck_assert_int_eq(task_names_add(f->names, life->tid, comms[i]),
				 0);
	}
	f->causes = causes_of(&f->lives, f->names);
}

static void end(struct fixture *f)
{
	causes_free(&f->causes);
	task_names_close(f->names);
	lives_free(&f->lives);
}

static struct path_link link_of(enum link_kind kind, uint32_t thread,
				uint64_t ns)
{
	return (struct path_link){
		.kind = kind,
		.thread = thread,
		.begin_ns = 1000 - ns,
		.end_ns = 1000,
		.ns = ns,
		.function = FUNCTION_NONE,
		.other = LIFE_NONE,
	};
}

static void add(struct fixture *f, const struct path_link *link)
{
	ck_assert_int_eq(causes_add(&f->causes, link), 0);
}

static const struct cause *cause(const struct fixture *f, size_t index)
{
	ck_assert_uint_lt(index, f->causes.all.items.count);
	return array_at(&f->causes.all.items, index);
}

/* The two processes are one program; their functions are details. */
START_TEST(processes_of_one_name_are_one_program)
{
	struct path_link one = link_of(LINK_USER, FIRST, 30);
	struct path_link other = link_of(LINK_USER, SECOND, 50);
	const struct cause_detail *details;
	struct fixture f;

	begin(&f);
	one.function = 7;
	other.function = 8;
	add(&f, &one);
	add(&f, &other);
	causes_sort(&f.causes);
	ck_assert_uint_eq(f.causes.all.items.count, 1);
	ck_assert_uint_eq(cause(&f, 0)->ns, 80);
	ck_assert(cause(&f, 0)->has_pids);
	ck_assert_int_eq(cause(&f, 0)->pid, 11);
	ck_assert_uint_eq(cause(&f, 0)->main_ns, 50);
	ck_assert_str_eq(causes_program(&f.causes, cause(&f, 0)->program),
			 "cc");
	details = f.causes.details.items.items;
	ck_assert_uint_eq(f.causes.details.items.count, 2);
	ck_assert_uint_eq(details[0].function, 8);
	ck_assert_uint_eq(details[0].ns, 50);
	ck_assert_uint_eq(f.causes.ns, 80);
	end(&f);
}
END_TEST

/* What a server does is one cause of its client, whatever it is. */
START_TEST(a_reply_is_one_cause)
{
	const struct life_sleep sleep = { .call = 3, .user = 4 };
	const struct path_cause reply = { CAUSE_REPLY, FIRST, SERVER, 0,
					  &sleep };
	struct path_link runs = link_of(LINK_USER, SERVER, 30);
	struct path_link waits = link_of(LINK_DISK, SERVER, 50);
	const struct cause_detail *details;
	struct fixture f;

	begin(&f);
	runs.causes = waits.causes = &reply;
	runs.cause_count = waits.cause_count = 1;
	add(&f, &runs);
	add(&f, &waits);
	causes_sort(&f.causes);
	ck_assert_uint_eq(f.causes.all.items.count, 1);
	ck_assert_uint_eq(cause(&f, 0)->why, WHY_REPLY);
	ck_assert_str_eq(causes_program(&f.causes, cause(&f, 0)->program),
			 "cc");
	ck_assert_str_eq(causes_program(&f.causes, cause(&f, 0)->actor),
			 "server");
	details = f.causes.details.items.items;
	ck_assert_uint_eq(details[0].kind, LINK_DISK);
	ck_assert_uint_eq(details[0].call, 3);
	ck_assert_uint_eq(details[0].user, 4);
	end(&f);
}
END_TEST

/* A loop starts @wanted short programs; FIRST waits for them. */
START_TEST(short_processes_are_counted)
{
	static const struct {
		uint32_t count;
		uint64_t ns;
		uint64_t wanted;
	} cases[] = { { 20, 100, 20 },
		      { 19, 100, 0 },
		      { 20, 20000001, 0 },
		      { 20, 1, 0 } };
	struct process_sum sum;
	struct path_link link;
	struct fixture f;

	begin(&f);
	link = link_of(LINK_USER, FIRST, 1000);
	add(&f, &link);
	for (uint32_t i = 0; i < cases[_i].count; i++) {
		struct life *life = lives_reach(&f.lives, THREADS + i);

		life->tid = life->pid = (int32_t)(100 + i);
		link = link_of(LINK_USER, THREADS + i, cases[_i].ns - 1);
		add(&f, &link);
		link = link_of(LINK_DISK, THREADS + i, 1);
		add(&f, &link);
	}
	causes_sort(&f.causes);
	sum = causes_short_processes(&f.causes, 10);
	ck_assert_uint_eq(sum.count, cases[_i].wanted);
	ck_assert_uint_eq(sum.ns, cases[_i].wanted * cases[_i].ns);
	end(&f);
}
END_TEST

/* A server waits for another one: the work of each has a row of its own. */
START_TEST(a_reply_through_another_server)
{
	const struct life_sleep sleep = { .call = 3 };
	const struct path_cause replies[] = {
		{ CAUSE_REPLY, FIRST, SERVER, 0, &sleep },
		{ CAUSE_REPLY, SERVER, BACKEND, 0, &sleep },
	};
	struct path_link own = link_of(LINK_USER, SERVER, 30);
	struct path_link further = link_of(LINK_USER, BACKEND, 50);
	const struct cause_detail *details;
	struct fixture f;

	begin(&f);
	own.causes = further.causes = replies;
	own.cause_count = 1;
	further.cause_count = 2;
	add(&f, &own);
	add(&f, &further);
	causes_sort(&f.causes);
	ck_assert_uint_eq(f.causes.all.items.count, 1);
	ck_assert_int_eq(cause(&f, 0)->pid, 10);
	details = f.causes.details.items.items;
	ck_assert_str_eq(causes_program(&f.causes, details[0].program),
			 "backend");
	ck_assert_uint_eq(details[0].further, FURTHER_PROCESS);
	ck_assert_str_eq(causes_program(&f.causes, details[1].program),
			 "server");
	ck_assert_uint_eq(details[1].further, FURTHER_NONE);
	end(&f);
}
END_TEST

/* The server waits for a lock that another process holds. */
START_TEST(a_reply_through_a_lock)
{
	const struct life_sleep sleep = { .call = 3 };
	const struct path_cause causes[] = {
		{ CAUSE_REPLY, FIRST, SERVER, 0, &sleep },
		{ CAUSE_LOCK, SERVER, BACKEND, 0, &sleep },
	};
	struct path_link link = link_of(LINK_TIMER, BACKEND, 50);
	const struct cause_detail *detail;
	struct fixture f;

	begin(&f);
	link.causes = causes;
	link.cause_count = 2;
	add(&f, &link);
	causes_sort(&f.causes);
	ck_assert_uint_eq(cause(&f, 0)->why, WHY_REPLY);
	detail = f.causes.details.items.items;
	ck_assert_str_eq(causes_program(&f.causes, detail->program), "backend");
	ck_assert_uint_eq(detail->further, FURTHER_LOCK);
	end(&f);
}
END_TEST

/* Links of one sleep are one wait. */
START_TEST(sleeps_are_counted_once)
{
	const struct life_sleep sleeps[2] = { { .call = 3 }, { .call = 3 } };
	const struct cause_detail *detail;
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < 3; i++) {
		struct path_link link = link_of(LINK_DISK, FIRST, 10);

		link.sleep = &sleeps[i / 2];
		add(&f, &link);
	}
	causes_sort(&f.causes);
	detail = f.causes.details.items.items;
	ck_assert_uint_eq(detail->sleeps, 2);
	ck_assert_uint_eq(detail->ns, 30);
	end(&f);
}
END_TEST

/* Threads of the kernel that work for the program are no cause by themselves,
 * except for their own work.
 */
START_TEST(helpers_wait_for_the_program)
{
	const struct life_sleep sleep = { .call = 3 };
	const struct path_cause help = { CAUSE_HELPER, FIRST, KTHREAD, 0,
					 &sleep };
	struct path_link works = link_of(LINK_KERNEL, KTHREAD, 30);
	struct path_link waits = link_of(LINK_DISK, KTHREAD, 50);
	struct fixture f;

	begin(&f);
	works.causes = waits.causes = &help;
	works.cause_count = waits.cause_count = 1;
	add(&f, &works);
	add(&f, &waits);
	causes_sort(&f.causes);
	ck_assert_uint_eq(f.causes.all.items.count, 2);
	ck_assert_uint_eq(cause(&f, 0)->why, LINK_DISK);
	ck_assert_uint_eq(cause(&f, 1)->why, WHY_HELPER);
	ck_assert_uint_eq(cause(&f, 0)->actor, LIFE_NONE);
	ck_assert_str_eq(causes_program(&f.causes, cause(&f, 0)->program),
			 "cc");
	end(&f);
}
END_TEST

/* Waits of a kernel thread for a CPU are parts of the program's own: text,
 * which does not name that thread, would list the same call twice.
 */
START_TEST(a_helper_without_a_cpu_is_no_part_of_its_own)
{
	const struct life_sleep sleep = { .call = 3,
					  .inside = FUNCTION_NONE,
					  .user = FUNCTION_NONE };
	const struct path_cause help = { CAUSE_HELPER, FIRST, KTHREAD, 0,
					 &sleep };
	struct path_link own = link_of(LINK_CPU, FIRST, 30);
	struct path_link helper = link_of(LINK_CPU, KTHREAD, 50);
	struct fixture f;

	begin(&f);
	own.sleep = &sleep;
	helper.causes = &help;
	helper.cause_count = 1;
	own.other = helper.other = SERVER;
	add(&f, &own);
	add(&f, &helper);
	causes_sort(&f.causes);
	ck_assert_uint_eq(f.causes.all.items.count, 1);
	ck_assert_uint_eq(f.causes.details.items.count, 1);
	end(&f);
}
END_TEST

/* FIRST, of real time, waits for a lock of SECOND, which has no CPU because
 * SERVER, of lower priority than FIRST, has it; not so if it is not lower.
 */
START_TEST(a_thread_of_lower_priority_is_named)
{
	static const struct {
		int32_t first;
		int32_t server;
		uint32_t why;
	} cases[] = {
		{ 69, 79, WHY_INVERSION }, { 69, 120, WHY_INVERSION },
		{ 69, 69, WHY_LOCK },	   { 69, 10, WHY_LOCK },
		{ 69, -1, WHY_LOCK },	   { 120, 130, WHY_LOCK },
		{ -1, 79, WHY_LOCK },
	};
	const struct life_sleep sleep = { .call = FUNCTION_NONE,
					  .inside = FUNCTION_NONE };
	const struct path_cause lock = { .kind = CAUSE_LOCK,
					 .waiter = FIRST,
					 .actor = SECOND,
					 .sleep = &sleep };
	struct path_link link = link_of(LINK_CPU, SECOND, 100);
	const struct cause *cause;
	struct fixture f;

	link.causes = &lock;
	link.cause_count = 1;
	link.other = SERVER;
	begin(&f);
	lives_reach(&f.lives, FIRST)->priority = cases[_i].first;
	lives_reach(&f.lives, SERVER)->priority = cases[_i].server;
	add(&f, &link);
	causes_sort(&f.causes);
	cause = array_at(&f.causes.all.items, 0);
	ck_assert_uint_eq(cause->why, cases[_i].why);
	ck_assert_str_eq(causes_program(&f.causes, cause->actor),
			 cases[_i].why == WHY_INVERSION ? "server" : "cc");
	end(&f);
}
END_TEST

/* Two calls in one function of the program, at different lines. */
START_TEST(each_line_has_a_detail_of_its_own)
{
	struct life_sleep sleeps[] = {
		{ .call = 3,
		  .inside = FUNCTION_NONE,
		  .user = 4,
		  .user_offset = 8 },
		{ .call = 3,
		  .inside = FUNCTION_NONE,
		  .user = 4,
		  .user_offset = 30 },
	};
	struct fixture f;

	begin(&f);
	for (size_t i = 0; i < 2; i++) {
		struct path_link link = link_of(LINK_DISK, FIRST, 10);

		link.sleep = &sleeps[i];
		add(&f, &link);
	}
	ck_assert_uint_eq(f.causes.all.items.count, 1);
	ck_assert_uint_eq(f.causes.details.items.count, 2);
	end(&f);
}
END_TEST

/* Of similar waits only the longest is kept; work is not a wait. */
START_TEST(the_longest_waits_differ)
{
	const struct life_sleep read = { .call = 3, .user = FUNCTION_NONE };
	const struct life_sleep fsync = { .call = 4, .user = FUNCTION_NONE };
	struct path_link link;
	struct fixture f;

	begin(&f);
	for (uint64_t ns = 10; ns < 100; ns += 10) {
		link = link_of(LINK_DISK, FIRST, ns);
		link.sleep = ns == 50 ? &fsync : &read;
		add(&f, &link);
	}
	link = link_of(LINK_USER, FIRST, 500);
	add(&f, &link);
	ck_assert_uint_eq(f.causes.long_count, 2);
	ck_assert_uint_eq(f.causes.longest[0].link.ns, 90);
	ck_assert_uint_eq(f.causes.longest[1].link.ns, 50);
	end(&f);
}
END_TEST

/* Of more kinds of waits than fit, the longest are kept, the longest first. */
START_TEST(the_longest_waits_are_in_order)
{
	static const uint64_t ns[] = { 40, 70, 10, 60, 20, 50, 30 };
	struct life_sleep sleeps[7] = { { 0 } };
	struct path_link link;
	struct fixture f;

	begin(&f);
	for (uint32_t i = 0; i < 7; i++) {
		sleeps[i].call = i;
		link = link_of(LINK_DISK, FIRST, ns[i]);
		link.sleep = &sleeps[i];
		add(&f, &link);
	}
	ck_assert_uint_eq(f.causes.long_count, LONG_LINKS);
	for (size_t i = 0; i < LONG_LINKS; i++)
		ck_assert_uint_eq(f.causes.longest[i].link.ns, 70 - 10 * i);
	end(&f);
}
END_TEST

START_TEST(certainty_is_summed_up)
{
	struct path_link inferred = link_of(LINK_USER, FIRST, 10);
	struct path_link unknown = link_of(LINK_UNKNOWN, FIRST, 20);
	struct fixture f;

	begin(&f);
	inferred.certainty = LINK_INFERRED;
	unknown.certainty = LINK_NOT_KNOWN;
	unknown.reason = UNKNOWN_GAP;
	add(&f, &inferred);
	add(&f, &unknown);
	ck_assert_uint_eq(f.causes.inferred_ns, 10);
	ck_assert_uint_eq(f.causes.unknown_ns, 20);
	ck_assert_uint_eq(f.causes.reasons_ns[UNKNOWN_GAP], 20);
	end(&f);
}
END_TEST

SUITE("causes")
{
	TEST(processes_of_one_name_are_one_program);
	TEST_TIMES(short_processes_are_counted, 4);
	TEST(a_reply_is_one_cause);
	TEST(a_reply_through_another_server);
	TEST(a_reply_through_a_lock);
	TEST(sleeps_are_counted_once);
	TEST(helpers_wait_for_the_program);
	TEST_TIMES(a_thread_of_lower_priority_is_named, 7);
	TEST(a_helper_without_a_cpu_is_no_part_of_its_own);
	TEST(each_line_has_a_detail_of_its_own);
	TEST(the_longest_waits_differ);
	TEST(the_longest_waits_are_in_order);
	TEST(certainty_is_summed_up);
}
