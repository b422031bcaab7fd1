/* SPDX-License-Identifier: MIT */
#include "explain/explain.h"

#include "attribution/events/event_handler.h"
#include "attribution/requests/request.h"
#include "attribution/trackers.h"
#include "common/container_of.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "explain/explanation_internal.h"
#include "explain/life_reader_internal.h"
#include "explain/request_legs_internal.h"
#include "report/steps/task_choice.h"
#include "report/text/task_names.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tables/calls/crashes_table.h"
#include "tables/requests/request_sums.h"

#include <stdlib.h>
#include <string.h>

/* Whether a thread is of the command: unknown until its first query. */
enum chosen { CHOSEN_UNKNOWN, CHOSEN_NO, CHOSEN_YES };

struct explain_table {
	struct event_handler handler;
	struct request_callback callback;
	struct attribution_input input;
	struct event_handler *crashes; /* crashes_table; NULL: not open */
	struct life_reader *reader;
	const struct lives *lives;
	struct array chosen; /* uint8_t by thread */
	/* the tasks to explain: those chosen by the input, or the command's */
	struct step_filter filter;
	int32_t command; /* process of the command; -1: unknown */
	/* number of the request to explain; 0: no request. row is that request,
	 * if has_row is set.
	 */
	uint64_t request;
	struct request_row row;
	bool has_row;
	struct array legs; /* struct request_leg, of that request */
	struct path_options path;
	struct explanation explanation;
	int status;
};

static struct task task_of(const struct life *life)
{
	return (struct task){ .tid = life->tid, .pid = life->pid };
}

static bool finds_chosen(const struct explain_table *table,
			 const struct life *life)
{
	const struct task task = task_of(life);

	return life->tid > 0 &&
	       (step_filter_has_tasks(&table->filter) ||
		!task_names_is_of_kernel(table->input.names, life->pid)) &&
	       step_filter_task(&table->filter, &task);
}

static bool is_chosen(void *ctx, uint32_t thread)
{
	struct explain_table *table = ctx;
	const struct life *life = lives_at(table->lives, thread);
	uint8_t *known = life ? array_reach(&table->chosen, thread) : NULL;

	if (!known)
		return false;
	if (*known == CHOSEN_UNKNOWN)
		*known = finds_chosen(table, life) ? CHOSEN_YES : CHOSEN_NO;
	return *known == CHOSEN_YES;
}

static bool is_kernel(void *ctx, uint32_t thread)
{
	const struct explain_table *table = ctx;
	const struct life *life = lives_at(table->lives, thread);

	return life && task_names_is_of_kernel(table->input.names, life->pid);
}

/* Adds a link. If a request's server is inferred, so are the server's links. */
static int consume_link(void *ctx, const struct path_link *found)
{
	struct explain_table *table = ctx;
	struct path_link link = *found;

	if (table->has_row && table->row.is_inferred && link.cause_count &&
	    link.certainty == LINK_EXACT)
		link.certainty = LINK_INFERRED;
	last_worker_consume(&table->explanation.last_worker, &table->path,
			    table->input.names, &link);
	return causes_add(&table->explanation.causes, &link);
}

static int consume_held(void *ctx, const struct path_link *link)
{
	struct explain_table *table = ctx;

	return causes_add(&table->explanation.held_causes, link);
}

/* Returns whether @life is a process that the recorder started: the command. */
static bool is_command(const struct explain_table *table,
		       const struct life *life)
{
	const char *command = recording_info(table->input.recording)->command;
	const struct task_names *names = table->input.names;

	return life->tid > 0 && life->tid == life->pid && life->exec_ns &&
	       recorder_task_is(names, command,
				task_names_parent(names, life->pid)) &&
	       !recorder_task_is(names, command, life->tid);
}

/* Returns the first command that the recorder started, or NULL. */
static const struct life *find_command(const struct explain_table *table)
{
	const struct life *command = NULL;

	for (uint32_t i = 0; i < table->lives->threads.count; i++) {
		const struct life *life = lives_at(table->lives, i);

		if (is_command(table, life) &&
		    (!command || life->exec_ns < command->exec_ns))
			command = life;
	}
	return command;
}

static uint64_t last_ns(const struct life *life)
{
	const struct life_row *rows = life->rows.items;

	return life->rows.count ? rows[life->rows.count - 1].end_ns : 0;
}

static uint64_t first_ns(const struct life *life)
{
	const struct life_row *rows = life->rows.items;

	return life->rows.count ? rows[0].begin_ns : UINT64_MAX;
}

static uint64_t recording_end_ns(const struct lives *lives)
{
	uint64_t end_ns = 0;

	for (uint32_t i = 0; i < lives->threads.count; i++) {
		uint64_t last = last_ns(lives_at(lives, i));

		if (last > end_ns)
			end_ns = last;
	}
	return end_ns;
}

/* A thread that may end the path. */
struct candidate {
	uint32_t thread;
	uint64_t end_ns;
	/* the candidate with the highest rank is chosen, and of these the
	 * latest
	 */
	int rank;
	bool is_stopped; /* the recorder ended the thread there */
};

/* Returns whether @life has ended. If its exit was not recorded, it counts as
 * ended if it ran in its last row and that row ends before @end_ns.
 */
static bool has_ended(const struct life *life, uint64_t end_ns)
{
	const struct life_row *rows = life->rows.items;

	return life->has_exited ||
	       (rows[life->rows.count - 1].kind == LIFE_RUNS &&
		last_ns(life) < end_ns);
}

/* Returns the rank of a life: threads of the command are above others, of these
 * the threads that ended, and of these the first threads of processes.
 */
static int rank_of(const struct explain_table *table, const struct life *life,
		   uint64_t end_ns)
{
	return (life->pid == table->command) * 4 + has_ended(life, end_ns) * 2 +
	       (life->tid == life->pid);
}

static bool is_better(const struct candidate *candidate,
		      const struct candidate *than)
{
	return than->thread == LIFE_NONE || candidate->rank > than->rank ||
	       (candidate->rank == than->rank &&
		candidate->end_ns > than->end_ns);
}

/* Returns the thread whose end in the window is explained. */
static struct candidate choose_end(struct explain_table *table)
{
	struct candidate best = { .thread = LIFE_NONE };
	uint64_t end_ns = recording_end_ns(table->lives);

	if (end_ns > table->input.window.until_ns)
		end_ns = table->input.window.until_ns;
	for (uint32_t i = 0; i < table->lives->threads.count; i++) {
		const struct life *life = lives_at(table->lives, i);
		struct candidate candidate = { .thread = i };

		if (!is_chosen(table, i) || first_ns(life) >= end_ns ||
		    last_ns(life) <= table->input.window.since_ns)
			continue;
		candidate.rank = rank_of(table, life, end_ns);
		candidate.end_ns = last_ns(life) < end_ns ? last_ns(life) :
							    end_ns;
		if (is_better(&candidate, &best))
			best = candidate;
	}
	return best;
}

/* Chooses the tasks, if the options do not: those of the command, or of all
 * programs. Returns the start of the path: the command's exec, or 0.
 */
static uint64_t choose_tasks(struct explain_table *table)
{
	struct explanation *explanation = &table->explanation;
	const struct life *command;

	table->command = -1;
	table->filter = *table->input.filter;
	explanation->subject = SUBJECT_CHOSEN;
	if (step_filter_has_tasks(&table->filter))
		return 0;
	command = find_command(table);
	explanation->subject = command ? SUBJECT_COMMAND : SUBJECT_ALL;
	if (!command)
		return 0;
	table->command = command->pid;
	table->filter.trees = &table->command;
	table->filter.tree_count = 1;
	return command->exec_ns;
}

static uint32_t find_thread(const struct lives *lives, int32_t tid)
{
	for (uint32_t i = 0; i < lives->threads.count; i++)
		if (lives_at(lives, i)->tid == tid)
			return i;
	return LIFE_NONE;
}

/* Chooses the client of the request, or the server if the client is on another
 * machine. Returns the end of its path, and sets *@begin_ns to the path's
 * start.
 */
static struct candidate choose_request(struct explain_table *table,
				       uint64_t *begin_ns)
{
	const struct request_row *row = &table->row;
	bool is_of_client = row->client_tid > 0;

	table->explanation.subject = SUBJECT_REQUEST;
	table->explanation.request = table->request;
	table->filter = (struct step_filter){ .names = table->input.names };
	table->command = is_of_client ? row->client_pid : row->server_pid;
	table->filter.pids = &table->command;
	table->filter.pid_count = 1;
	*begin_ns = row->sums.begin_ns;
	return (struct candidate){
		.thread = find_thread(table->lives, is_of_client ?
							    row->client_tid :
							    row->server_tid),
		.end_ns = row->sums.begin_ns + row->sums.wall_ns,
	};
}

/* Returns whether @name is that of a function that waits for children. */
static bool waits_for_children(const struct explain_table *table,
			       uint32_t function)
{
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	const char *name = function < function_count(functions) ?
				   function_at(functions, function)->base :
				   "";

	return !strcmp(name, "do_wait") || strstr(name, "_sys_wait");
}

/* Returns the sleep in which @thread is at @end_ns, or NULL. */
static const struct life_sleep *sleep_at(const struct explain_table *table,
					 uint32_t thread, uint64_t end_ns)
{
	const struct life *life = lives_at(table->lives, thread);
	const struct life_row *row = life_before(life, end_ns);

	return row && row->end_ns >= end_ns ? lives_sleep(table->lives, row) :
					      NULL;
}

/* Returns whether @thread waits for its children at @end_ns. */
static bool waits_at(const struct explain_table *table, uint32_t thread,
		     uint64_t end_ns)
{
	const struct life_sleep *sleep = sleep_at(table, thread, end_ns);

	return sleep &&
	       (waits_for_children(table, sleep->label) ||
		waits_for_children(table, lives_call_function(table->lives,
							      sleep->call)));
}

static bool is_child_at(const struct explain_table *table,
			const struct life *child, const struct life *parent,
			uint64_t end_ns)
{
	const struct life_birth *birth = life_birth_by(child, end_ns);
	const struct life *maker =
		birth ? lives_at(table->lives, birth->parent) : NULL;

	return maker && maker->pid == parent->pid && child->tid == child->pid &&
	       child->pid != parent->pid &&
	       (!child->has_exited || last_ns(child) > end_ns);
}

/* Returns the youngest child of @thread's process that has not ended at
 * @end_ns, which is the one that a shell started last; LIFE_NONE if there is
 * none.
 */
static uint32_t find_child(const struct explain_table *table, uint32_t thread,
			   uint64_t end_ns)
{
	const struct life *parent = lives_at(table->lives, thread);
	uint32_t found = LIFE_NONE;
	uint64_t found_ns = 0;

	for (uint32_t i = 0; i < table->lives->threads.count; i++) {
		const struct life *child = lives_at(table->lives, i);
		const struct life_birth *birth = life_birth_by(child, end_ns);

		if (!is_child_at(table, child, parent, end_ns) ||
		    birth->time_ns < found_ns)
			continue;
		found = i;
		found_ns = birth->time_ns;
	}
	return found;
}

/* Returns whether @life ran its program in one of its @count last rows. */
static bool has_run_program(const struct explain_table *table,
			    const struct life *life, size_t count)
{
	const struct life_row *rows = life->rows.items;

	for (size_t i = life->rows.count - count; i < life->rows.count; i++) {
		const struct life_part *parts = table->lives->parts.items;

		for (uint32_t part = 0; part < rows[i].part_count; part++)
			if (parts[rows[i].first_part + part].kind == WORK_USER)
				return true;
	}
	return false;
}

/* Moves the end of the path to the signal by which the recorder stops the
 * command at --duration, so that the wait until then is explained. After the
 * signal the command runs no more code of its own. If it does, the recorder had
 * woken it for another reason, as at its start.
 */
static void end_before_stop(const struct explain_table *table,
			    struct candidate *end)
{
	const char *command = recording_info(table->input.recording)->command;
	const struct life *life = lives_at(table->lives, end->thread);
	const struct life_row *rows = life->rows.items;
	size_t i = life->rows.count;
	const struct life_sleep *sleep;
	const struct life *waker;

	while (i && (rows[i - 1].begin_ns >= end->end_ns ||
		     rows[i - 1].kind != LIFE_SLEEPS))
		i--;
	sleep = i ? lives_sleep(table->lives, &rows[i - 1]) : NULL;
	waker = sleep && sleep->wake == WAKE_BY_THREAD ?
			lives_at(table->lives, sleep->waker) :
			NULL;
	if (!waker || rows[i - 1].end_ns > end->end_ns ||
	    !recorder_task_is(table->input.names, command, waker->tid) ||
	    has_run_program(table, life, life->rows.count - i))
		return;
	end->end_ns = rows[i - 1].end_ns;
	end->is_stopped = true;
}

/* Returns whether @thread waits for the pipe's other end in a function of the
 * kernel whose name has @part: fs/pipe.c.
 */
static bool is_in_pipe(const struct explain_table *table, uint32_t thread,
		       uint64_t end_ns, const char *part)
{
	const struct function_table *functions =
		symbols_functions(table->input.symbols);
	const struct life_sleep *sleep = sleep_at(table, thread, end_ns);

	return sleep && sleep->label < function_count(functions) &&
	       strstr(function_at(functions, sleep->label)->base, part);
}

/* Returns the process that its parent created last before @thread's, or next
 * after it, and that has not ended at @end_ns; LIFE_NONE if there is none.
 */
static uint32_t find_neighbour(const struct explain_table *table,
			       uint32_t thread, uint64_t end_ns, bool is_next)
{
	const struct life *life = lives_at(table->lives, thread);
	const struct life_birth *own = life_birth_by(life, end_ns);
	const struct life *parent = own ? lives_at(table->lives, own->parent) :
					  NULL;
	uint32_t found = LIFE_NONE;
	uint64_t found_ns = 0;

	for (uint32_t i = 0; parent && i < table->lives->threads.count; i++) {
		const struct life *other = lives_at(table->lives, i);
		const struct life_birth *birth = life_birth_by(other, end_ns);

		if (other == life || !birth ||
		    (birth->time_ns > own->time_ns) != is_next ||
		    !is_child_at(table, other, parent, end_ns) ||
		    (found != LIFE_NONE &&
		     (birth->time_ns > found_ns) == is_next))
			continue;
		found = i;
		found_ns = birth->time_ns;
	}
	return found;
}

/* Returns the thread at the other end of the pipe that @thread reads or writes
 * at @end_ns: it is inferred, because a shell starts the programs of a pipeline
 * from left to right. Returns LIFE_NONE if @thread is in no pipe.
 */
static uint32_t find_other_end(const struct explain_table *table,
			       uint32_t thread, uint64_t end_ns)
{
	if (is_in_pipe(table, thread, end_ns, "pipe_read"))
		return find_neighbour(table, thread, end_ns, false);
	return is_in_pipe(table, thread, end_ns, "pipe_write") ?
		       find_neighbour(table, thread, end_ns, true) :
		       LIFE_NONE;
}

/* If the command waits for its child at the end, the path ends in the child, or
 * in the child's child, and so on; likewise in the process at the other end of
 * a pipe. Returns 0 or -ERROR_MEMORY.
 */
static int go_to_children(struct explain_table *table, struct candidate *end)
{
	enum { MOST_CHILDREN = 16 };
	struct array *waited = &table->explanation.waited_for;

	end_before_stop(table, end);
	while (waited->count < MOST_CHILDREN) {
		bool is_parent = waits_at(table, end->thread, end->end_ns);
		const struct waited_for next = {
			.thread = is_parent ? find_child(table, end->thread,
							 end->end_ns) :
					      find_other_end(table, end->thread,
							     end->end_ns),
			.is_pipe = !is_parent,
		};

		if (next.thread == LIFE_NONE)
			break;
		if (array_append(waited, &next) < 0)
			return -ERROR_MEMORY;
		if (!is_chosen(table, next.thread))
			break;
		end->thread = next.thread;
	}
	return 0;
}

/* Returns whether most of the time was the event loop's own work or waits: a
 * loop that waits for a child instead, as make does, is not held.
 */
static bool is_held_by_itself(const struct explanation *explanation)
{
	const struct causes *causes = &explanation->held_causes;
	const struct life *life = lives_at(causes->lives, explanation->held);
	const struct cause *first = causes->all.items.items;

	return causes->all.items.count && first->ns > causes->ns / 2 &&
	       first->pid == life->pid;
}

/* Explains the longest time for which an event loop was held, if there is one.
 */
static int walk_held(struct explain_table *table, uint64_t begin_ns)
{
	struct explanation *explanation = &table->explanation;
	struct path_options options = table->path;
	const struct life *life;
	int status;

	explanation->held = longest_held(&options, begin_ns);
	life = lives_at(table->lives, explanation->held);
	if (!life)
		return 0;
	options.thread = explanation->held;
	options.begin_ns = life->loop.held_begin_ns;
	options.end_ns = life->loop.held_end_ns;
	options.consume = consume_held;
	status = critical_path_walk(&options, &begin_ns);
	causes_sort(&explanation->held_causes);
	if (!is_held_by_itself(explanation))
		explanation->held = LIFE_NONE;
	return status;
}

/* Walks the part of a request's path that is @leg; @subject is the request's
 * client, or its server if the client is on another machine.
 */
static int walk_leg(struct explain_table *table, const struct request_leg *leg,
		    uint32_t subject)
{
	struct path_options options = table->path;
	uint32_t thread = leg->tid < 0 ? subject :
					 find_thread(table->lives, leg->tid);
	uint32_t server = find_thread(table->lives, table->row.server_tid);
	/* A kernel thread on the way works for the server. */
	const struct path_cause cause = {
		.kind = CAUSE_REPLY,
		.waiter = subject,
		.actor = server != LIFE_NONE && is_kernel(table, thread) ?
				 server :
				 thread,
		.since_ns = leg->begin_ns,
	};
	struct path_link before = {
		.kind = LINK_UNKNOWN,
		.certainty = LINK_NOT_KNOWN,
		.begin_ns = leg->begin_ns,
		.thread = subject,
		.function = FUNCTION_NONE,
		.other = LIFE_NONE,
		.reason = UNKNOWN_UNTRACED,
	};
	int status;

	options.thread = thread == LIFE_NONE ? subject : thread;
	options.begin_ns = leg->begin_ns;
	options.end_ns = leg->end_ns;
	if (thread != LIFE_NONE && !is_chosen(table, thread))
		options.cause = &cause;
	status = critical_path_walk(&options, &before.end_ns);
	before.ns = before.end_ns - before.begin_ns;
	return status || !before.ns ? status : consume_link(table, &before);
}

/* Walks the path of a request, back from its end. */
static int walk_request(struct explain_table *table, uint32_t subject)
{
	int status = 0;

	for (size_t i = table->legs.count; i-- > 0 && !status;)
		status = walk_leg(table, array_at(&table->legs, i), subject);
	table->explanation.begin_ns = table->path.begin_ns;
	return status;
}

/* Walks the path that ends in thread @end->thread, to explain thread @subject.
 */
static int walk(struct explain_table *table, const struct candidate *end,
		uint32_t subject, uint64_t begin_ns)
{
	struct explanation *explanation = &table->explanation;
	const struct life *life = lives_at(table->lives, subject);
	int status;

	table->path = (struct path_options){
		.lives = table->lives,
		.functions = symbols_functions(table->input.symbols),
		.thread = end->thread,
		.end_ns = end->end_ns,
		.begin_ns = begin_ns,
		.is_chosen = is_chosen,
		.is_kernel = is_kernel,
		.consume = consume_link,
		.ctx = table,
	};

	explanation->end_ns = end->end_ns;
	explanation->pid = life->pid;
	explanation->program = task_names_last(table->input.names, life->tid);
	explanation->is_cut =
		explanation->subject != SUBJECT_REQUEST &&
		(end->is_stopped || last_ns(life) > end->end_ns ||
		 !has_ended(life, recording_end_ns(table->lives)));
	status = table->request ? walk_request(table, subject) :
				  critical_path_walk(&table->path,
						     &explanation->begin_ns);
	last_worker_end(&explanation->last_worker, &table->path,
			table->input.names);
	/* The request did not wait for the other work of its client. */
	return status || table->request ?
		       status :
		       walk_held(table, explanation->begin_ns);
}

static struct candidate choose(struct explain_table *table, uint64_t *begin_ns)
{
	struct candidate end;

	if (table->request)
		return choose_request(table, begin_ns);
	*begin_ns = choose_tasks(table);
	end = choose_end(table);
	if (*begin_ns < table->input.window.since_ns)
		*begin_ns = table->input.window.since_ns;
	return end;
}

static int explain(struct explain_table *table)
{
	uint64_t begin_ns = 0;
	struct candidate end = choose(table, &begin_ns);
	uint32_t subject = end.thread;
	int status = 0;

	if (end.thread == LIFE_NONE || end.end_ns <= begin_ns)
		return 0;
	if (!table->request)
		status = go_to_children(table, &end);
	if (!status)
		status = walk(table, &end, subject, begin_ns);
	causes_sort(&table->explanation.causes);
	return status;
}

/* Makes the explanation name the processes that a signal ended. */
static int add_crashes(struct explain_table *table)
{
	size_t count;
	const struct crash *crashes =
		crashes_table_found(table->crashes, &count);

	for (size_t i = 0; i < count; i++)
		if (is_chosen(table,
			      find_thread(table->lives, crashes[i].tid)) &&
		    array_append(&table->explanation.crashes, &crashes[i]) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static void write_all(const struct explanation *explanation,
		      const struct attribution_output *output)
{
	switch (output->format) {
	case RECORD_JSON:
		explanation_write_json(explanation, output->out);
		return;
	case RECORD_CSV:
	case RECORD_NDJSON:
		explanation_write_csv(explanation, output);
		return;
	case RECORD_TABLE:
		explanation_write_text(explanation, output->out);
		return;
	}
}

static void consume_request(struct request_callback *callback,
			    const struct request *request)
{
	struct explain_table *table =
		container_of(callback, struct explain_table, callback);

	if (request->number != table->request)
		return;
	table->has_row = true;
	table->legs.count = 0;
	if (request_row_of(request, &table->row) < 0 ||
	    request_legs_of(request, table->row.sums.wall_ns, &table->legs) < 0)
		table->status = -ERROR_MEMORY;
}

static bool follow_requests(struct explain_table *table)
{
	if (!table->input.argument)
		return true;
	table->request = strtoull(table->input.argument, NULL, 10);
	table->callback.consume = consume_request;
	return trackers_requests(table->input.trackers, &table->callback);
}

static int render(struct event_handler *handler,
		  const struct attribution_output *output)
{
	struct explain_table *table = (struct explain_table *)handler;
	int status = life_reader_end(table->reader);

	if (!status)
		status = table->status;
	if (!status && table->request && !table->has_row)
		status = -ERROR_NOT_FOUND;
	if (!status)
		status = explain(table);
	if (!status)
		status = add_crashes(table);
	if (status < 0)
		return status;
	write_all(&table->explanation, output);
	return 0;
}

static void close_table(struct event_handler *handler)
{
	struct explain_table *table = (struct explain_table *)handler;

	causes_free(&table->explanation.causes);
	causes_free(&table->explanation.held_causes);
	array_free(&table->explanation.crashes);
	array_free(&table->explanation.waited_for);
	array_free(&table->chosen);
	array_free(&table->legs);
	if (table->crashes)
		crashes_table.close(table->crashes);
	free(table->crashes);
	life_reader_free(table->reader);
}

static bool follow_crashes(struct explain_table *table)
{
	struct event_handler *crashes = calloc(1, crashes_table.size);

	table->crashes = crashes;
	return crashes && crashes_table.open(crashes, &table->input) &&
	       !trackers_follow(table->input.trackers, crashes);
}

static bool open_table(struct event_handler *handler,
		       const struct attribution_input *input)
{
	struct explain_table *table = (struct explain_table *)handler;

	table->input = *input;
	table->chosen = ARRAY_OF(uint8_t);
	table->legs = ARRAY_OF(struct request_leg);
	table->reader = life_reader_new(input->trackers,
					symbols_functions(input->symbols),
					input->symbols);
	table->explanation.crashes = ARRAY_OF(struct crash);
	table->explanation.waited_for = ARRAY_OF(struct waited_for);
	if (!table->reader || !follow_requests(table) || !follow_crashes(table))
		return false;
	table->lives = life_reader_lives(table->reader);
	table->explanation.input = &table->input;
	table->explanation.causes = causes_of(table->lives, input->names);
	table->explanation.held_causes = causes_of(table->lives, input->names);
	table->explanation.last_worker = LAST_WORKER_NONE;
	table->explanation.held = LIFE_NONE;
	return true;
}

const struct attribution_table explain_table = {
	.name = "explain",
	.help = "why it took as long as it did: the first screen",
	.missing = "no request has this number; ktrace-hw report --requests "
		   "lists them",
	.is_of_tasks = true,
	.writes_left_out = true,
	.size = sizeof(struct explain_table),
	.open = open_table,
	.render = render,
	.close = close_table,
};
