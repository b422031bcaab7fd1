/* SPDX-License-Identifier: MIT */
#include "tests/request_story_fixture.h"

#include "attribution/requests/requests.h"
#include "attribution/trackers.h"
#include "report/text/task_names.h"
#include "tables/requests/request_sums.h"
#include "tests/run_suite.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

struct script {
	struct request_callback callback;
	char text[4096];
	size_t size;
	uint64_t begins[16]; /* by number */
};

static void write(struct script *script, const char *name, uint64_t ns)
{
	if (ns)
		script->size += (size_t)sprintf(script->text + script->size,
						" %s%lu", name,
						(unsigned long)ns);
}

static void write_parts(struct script *script, const uint64_t *parts)
{
	write(script, "r", parts[PART_RUNNABLE]);
	write(script, "k", parts[PART_KERNEL]);
	write(script, "u", parts[PART_USER]);
	write(script, "a", parts[PART_ASLEEP]);
	write(script, "d", parts[PART_IDLE]);
	write(script, "?", parts[PART_UNKNOWN]);
}

static uint64_t sum_of(const uint64_t *parts)
{
	uint64_t sum = 0;

	for (int i = 0; i < REQUEST_PARTS; i++)
		sum += parts[i];
	return sum;
}

/* Adds the threads, other than the client, that woke threads on the request's
 * path.
 */
static void write_wakers(struct script *script, const struct request *request)
{
	struct array way = ARRAY_OF(struct request_interval);

	ck_assert_int_eq(request_way_of(request, &way), 0);
	for (size_t i = 0; i < way.count; i++) {
		const struct request_interval *interval = array_at(&way, i);

		if (interval->waker && interval->waker != request->client)
			write(script, "by ", (uint64_t)interval->waker->tid);
	}
	array_free(&way);
}

static void consume_request(struct request_callback *callback,
			    const struct request *request)
{
	struct script *script = (struct script *)callback;
	struct request_row row;
	const struct request_sums *sums = &row.sums;

	ck_assert_int_eq(request_row_of(request, &row), 0);
	ck_assert_uint_eq(sums->wall_ns,
			  sums->client_ns + sums->client_wait_ns +
				  sums->remote_ns + sums->queue_ns +
				  sum_of(sums->way_ns));
	script->begins[row.number] = sums->begin_ns;
	script->size += (size_t)sprintf(
		script->text + script->size, "%d>%d %lu+%lu%s%s",
		row.client_tid, row.server_tid, (unsigned long)sums->begin_ns,
		(unsigned long)sums->wall_ns, row.is_inferred ? "?" : "",
		row.is_answered ? "" : " no answer");
	if (request->parent)
		write(script, "for ", request->parent->begin->time_ns);
	strcat(script->text + script->size++, ":");
	write(script, "c", sums->client_ns);
	write(script, "w", sums->client_wait_ns);
	write(script, "n", sums->remote_ns);
	write(script, "q", sums->queue_ns);
	write_parts(script, sums->way_ns);
	write_wakers(script, request);
	if (sum_of(sums->beside_ns))
		strcat(script->text + script->size, " /"), script->size += 2;
	write_parts(script, sums->beside_ns);
	strcat(script->text + script->size++, "\n");
}

static void check(const struct request_story *story)
{
	struct script script = { .callback.consume = consume_request };
	struct attribution_fixture *f = attribution_fixture_new();
	struct task_names *names = task_names_empty();
	struct trackers *trackers =
		trackers_new_with(&(struct trackers_options){
			.time = {
				.kinds = attribution_fixture_kinds(f),
				.functions = attribution_fixture_functions(f),
				.evidence = SEES_ALL,
				.names = names,
			},
		});
	struct requests_options options = {
		.threads = trackers_threads(trackers),
		.functions = attribution_fixture_functions(f),
		.names = names,
		.has_wakes = story->evidence != NO_WAKES,
		.has_socket_events = story->evidence == SOCKETS_TELL,
		.has_packets = story->evidence == PACKETS_TELL,
		.has_losses = story->evidence == RECORDS_LOST,
	};
	struct requests *requests = requests_new(&options);

	ck_assert_ptr_nonnull(requests);
	ck_assert_int_eq(requests_listen(requests, &script.callback), 0);
	ck_assert_int_eq(trackers_follow(trackers, requests_handler(requests)),
			 0);
	attribution_fixture_follow(f, trackers);
	story->play(f);
	ends(f);
	ck_assert_int_eq(trackers_end(trackers), 0);
	ck_assert_int_eq(requests_end(requests), 0);
	ck_assert_msg(!strcmp(script.text, story->requests), "%s:\n%s\nnot\n%s",
		      story->title, script.text, story->requests);
	requests_free(requests);
	trackers_free(trackers);
	attribution_fixture_free(f);
	task_names_close(names);
}

void all_run(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, CLIENT);
	starts(f, 1, SERVER);
	starts(f, 2, OTHER);
}

void calls(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   const char *function)
{
	at(f, time_ns);
	enter(f, cpu, "entry_SYSCALL_64");
	enter(f, cpu, function);
}

void returns(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu)
{
	at(f, time_ns);
	leave(f, cpu);
	leave(f, cpu);
}

void waits(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t prev, int32_t next)
{
	at(f, time_ns);
	enter(f, cpu, "__schedule");
	schedules(f, cpu, prev, 1, next);
}

void goes_on(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu)
{
	at(f, time_ns);
	leave(f, cpu);
}

void sleeps(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	    int32_t tid, const char *function)
{
	calls(f, time_ns, cpu, function);
	waits(f, time_ns + 2, cpu, tid, 20 + (int32_t)cpu);
}

void rises(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	   int32_t tid)
{
	at(f, time_ns);
	schedules(f, cpu, 20 + (int32_t)cpu, 0, tid);
	goes_on(f, time_ns + 2, cpu);
	returns(f, time_ns + 5, cpu);
}

void writes_to(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
	       int32_t tid)
{
	calls(f, time_ns, cpu, "pipe_write");
	at(f, time_ns + 5);
	wakes(f, cpu, tid);
	returns(f, time_ns + 10, cpu);
}

void item_begins(struct attribution_fixture *f, uint64_t time_ns, int64_t item)
{
	at(f, time_ns);
	enter(f, 3, "process_one_work");
	event(f, 3, EVENT_WORK_BEGIN, item, 0, 0);
}

void item_ends(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	leave(f, 3);
}

/* The suite's stories: check's loop tests get only an index. */
static const struct request_story *all;

START_TEST(requests_are_found_with_their_time)
{
	check(&all[_i]);
}
END_TEST

int request_story_run(const char *name, const struct request_story *stories,
		      int count)
{
	Suite *suite = suite_create(name);
	TCase *tcase = tcase_create("stories");

	all = stories;
	tcase_add_loop_test(tcase, requests_are_found_with_their_time, 0,
			    count);
	suite_add_tcase(suite, tcase);
	return run_suite(suite);
}
