/* SPDX-License-Identifier: MIT */
#include "tables/requests/servers.h"

#include "attribution/events/event_handler.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests.h"
#include "attribution/table_records.h"
#include "attribution/time/time_span.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "report/steps/call_step.h"
#include "tables/requests/request_sums.h"
#include "tables/table.h"

#include <stdlib.h>
#include <string.h>

void server_accounts_free(struct server_accounts *accounts)
{
	keyed_array_free(&accounts->all);
}

struct server_account *server_accounts_add(struct server_accounts *accounts,
					   int32_t server, int32_t client)
{
	const struct server_account like = {
		.server_pid = server,
		.client_pid = client,
	};

	return keyed_array_add(&accounts->all, &like);
}

struct server_account *
server_accounts_at(const struct server_accounts *accounts, size_t number)
{
	return number < accounts->all.items.count ?
		       array_at(&accounts->all.items, number) :
		       NULL;
}

bool server_accounts_is_server(const struct server_accounts *accounts,
			       int32_t server)
{
	const struct server_account *account;

	for (size_t i = 0; (account = server_accounts_at(accounts, i)); i++)
		if (account->server_pid == server && account->client_pid >= 0)
			return true;
	return false;
}

void server_record_pack(struct pack *pack, struct server_record *record)
{
	pack_small(pack, &record->kind, SERVER_RECORD_KINDS - 1);
	pack_i32(pack, &record->pid);
	pack_u64(pack, &record->begin_ns);
	if (record->kind != SERVER_INTERVAL) {
		pack_i32(pack, &record->client_pid);
		pack_i32(pack, &record->first_pid);
	}
	if (record->kind == SERVER_REQUEST) {
		record->end_ns = record->begin_ns;
		return;
	}
	pack_u32(pack, &record->thread);
	pack_u64(pack, &record->end_ns);
	pack_check(pack, record->begin_ns <= record->end_ns);
	if (record->kind == SERVER_INTERVAL) {
		pack_small(pack, &record->part, REQUEST_PARTS - 1);
		return;
	}
	pack_bool(pack, &record->is_inferred);
}

static void server_record_keep(struct cache_file_writer *writer,
			       const struct server_record *record)
{
	const struct cached_span span =
		cached_span_of(record->begin_ns, record->end_ns);
	struct server_record kept = *record;

	server_record_pack(cache_file_writer_pack(writer), &kept);
	cache_file_writer_add(writer, &span);
}

struct server_times server_times_of(struct time_window window)
{
	return (struct server_times){
		.window = window,
		.threads = KEYED_ARRAY_OF(struct server_thread, thread),
		.segments = ARRAY_OF(struct server_record),
	};
}

void server_times_free(struct server_times *times)
{
	for (size_t i = 0; i < times->threads.items.count; i++) {
		struct server_thread *thread =
			array_at(&times->threads.items, i);

		array_free(&thread->intervals);
	}
	keyed_array_free(&times->threads);
	array_free(&times->segments);
}

/* Cuts @record to @window.  Returns whether anything is left. */
static bool cut(struct server_record *record, struct time_window window)
{
	record->begin_ns = time_window_clip(window, record->begin_ns);
	record->end_ns = time_window_clip(window, record->end_ns);
	return record->begin_ns < record->end_ns;
}

static int add_interval(struct server_times *times,
			const struct server_record *interval)
{
	struct server_thread *thread = keyed_array_add(
		&times->threads,
		&(struct server_thread){
			.thread = interval->thread,
			.intervals = ARRAY_OF(struct server_record),
		});

	if (!thread)
		return -ERROR_MEMORY;
	thread->pid = interval->pid;
	thread->parts[interval->part] += interval->end_ns - interval->begin_ns;
	return array_append(&thread->intervals, interval);
}

int server_times_add(struct server_times *times,
		     const struct server_record *record)
{
	struct server_record part = *record;

	if (!cut(&part, times->window))
		return 0;
	return part.kind == SERVER_INTERVAL ?
		       add_interval(times, &part) :
		       array_append(&times->segments, &part);
}

void server_times_of_segment(const struct server_times *times,
			     const struct server_record *segment,
			     uint64_t parts[REQUEST_PARTS])
{
	const struct server_thread *thread =
		keyed_array_find(&times->threads, &segment->thread);
	const struct time_window window = { segment->begin_ns,
					    segment->end_ns };
	const struct array *intervals;

	memset(parts, 0, REQUEST_PARTS * sizeof(*parts));
	if (!thread)
		return;
	intervals = &thread->intervals;
	for (size_t i = array_count_up_to(
		     intervals, KEYS(RISING(struct server_record, end_ns)),
		     segment->begin_ns);
	     i < intervals->count; i++) {
		struct server_record part =
			*(const struct server_record *)array_at(intervals, i);

		if (!cut(&part, window))
			break;
		parts[part.part] += part.end_ns - part.begin_ns;
	}
}

struct servers {
	struct event_handler handler; /* the records' owner; gets no events */
	struct request_callback callback;
	const struct attribution_input *input;
	const struct requests *requests;
	bool is_through;
	struct server_accounts chains; /* by both clients */
	struct server_accounts accounts;
	/* A window is summed up from its parts after all were read; a whole
	 * recording is summed up during the pass.
	 */
	bool is_cut;
	struct server_times times;
	struct cache_file_writer *writer; /* NULL: records are not kept */
	int status;
};

static struct server_account *account_of(struct servers *servers,
					 int32_t server, int32_t client,
					 int32_t first)
{
	const struct server_account like = {
		.server_pid = server,
		.client_pid = client,
		.first_pid = first,
	};
	struct server_account *account =
		keyed_array_add(&servers->chains.all, &like);

	if (!account)
		servers->status = -ERROR_MEMORY;
	return account;
}

static void charge(struct server_account *account,
		   const uint64_t parts[REQUEST_PARTS], bool is_inferred)
{
	account->kernel_ns += parts[PART_KERNEL];
	account->user_ns += parts[PART_USER];
	account->tracer_ns += parts[PART_TRACER];
	account->runnable_ns += parts[PART_RUNNABLE];
	account->asleep_ns += parts[PART_ASLEEP];
	if (is_inferred)
		account->inferred_ns += parts[PART_KERNEL] + parts[PART_USER];
}

static void count_request(struct servers *servers,
			  const struct server_record *record)
{
	struct server_account *account = account_of(
		servers, record->pid, record->client_pid, record->first_pid);

	if (account &&
	    time_window_has(servers->input->window, record->begin_ns))
		account->requests++;
}

/* Applies a record. For a whole recording, only requests are counted here. */
static void consume_record(struct servers *servers,
			   const struct server_record *record)
{
	if (record->kind == SERVER_REQUEST)
		count_request(servers, record);
	else if (servers->is_cut &&
		 server_times_add(&servers->times, record) < 0)
		servers->status = -ERROR_MEMORY;
}

static void hand_record(struct servers *servers,
			const struct server_record *record)
{
	if (servers->writer)
		server_record_keep(servers->writer, record);
	consume_record(servers, record);
}

static void pass_span(struct request_callback *callback,
		      const struct time_span *span, enum request_part part)
{
	const struct server_record record = {
		.kind = SERVER_INTERVAL,
		.part = (uint8_t)part,
		.thread = span->task->index,
		.pid = span->task->pid,
		.begin_ns = span->begin_ns,
		.end_ns = span->end_ns,
	};

	hand_record(container_of(callback, struct servers, callback), &record);
}

static int32_t first_client(const struct request *request)
{
	while (request->parent && request->parent->client)
		request = request->parent;
	return request->client->pid;
}

static void consume_segment(struct servers *servers,
			    const struct work_segment *segment,
			    const struct request *request)
{
	const struct server_record record = {
		.kind = SERVER_SEGMENT,
		.is_inferred = request->is_inferred || request->is_polled,
		.thread = segment->task->index,
		.pid = segment->task->pid,
		.client_pid = request->client->pid,
		.first_pid = first_client(request),
		.begin_ns = segment->begin->time_ns,
		.end_ns = segment->end->time_ns,
	};
	struct server_account *account;
	uint64_t parts[REQUEST_PARTS];

	hand_record(servers, &record);
	account = account_of(servers, record.pid, record.client_pid,
			     record.first_pid);
	if (!account || servers->is_cut)
		return;
	work_segment_parts(segment, parts);
	charge(account, parts, record.is_inferred);
}

static void consume_request(struct request_callback *callback,
			    const struct request *request)
{
	struct servers *servers =
		container_of(callback, struct servers, callback);
	struct work_segment *const *segments = request->segments.items;
	uint64_t begin_ns = request->begin->time_ns;

	/* Work for another machine has no client process on this one. */
	if (request->side != SIDE_BOTH)
		return;
	for (size_t i = 0; i < request->segments.count; i++)
		consume_segment(servers, segments[i], request);
	if (request->kind == MESSAGE_SEND)
		hand_record(servers, &(struct server_record){
					     .kind = SERVER_REQUEST,
					     .pid = request->server->pid,
					     .client_pid = request->client->pid,
					     .first_pid = first_client(request),
					     .begin_ns = begin_ns,
					     .end_ns = begin_ns,
				     });
}

/* Charges all time of a server's thread to the unknown client. give_back()
 * subtracts the time for known clients.
 */
static void charge_nobody(struct servers *servers, int32_t pid,
			  const uint64_t *parts)
{
	struct server_account *nobody;

	if (!server_accounts_is_server(&servers->chains, pid))
		return;
	nobody = account_of(servers, pid, -1, -1);
	if (nobody)
		charge(nobody, parts, false);
}

/* Subtracts the time of the known client's account @number from the unknown
 * client's.
 */
static void give_back(struct servers *servers, size_t number)
{
	const struct server_account *charged =
		server_accounts_at(&servers->chains, number);
	struct server_account *nobody =
		account_of(servers, charged->server_pid, -1, -1);

	if (!nobody)
		return;
	/* Looked up again: account_of() may have added an account and moved the
	 * others.
	 */
	charged = server_accounts_at(&servers->chains, number);
	nobody->kernel_ns -= charged->kernel_ns;
	nobody->user_ns -= charged->user_ns;
	nobody->tracer_ns -= charged->tracer_ns;
	nobody->runnable_ns -= charged->runnable_ns;
	nobody->asleep_ns -= charged->asleep_ns;
}

struct servers *servers_new(const struct attribution_input *input,
			    bool is_through)
{
	struct servers *servers = calloc(1, sizeof(*servers));

	if (!servers)
		return NULL;
	servers->callback.consume = consume_request;
	servers->callback.passed = pass_span;
	servers->input = input;
	servers->is_through = is_through;
	servers->chains.all = KEYED_ARRAY_OF(struct server_account, first_pid);
	servers->accounts = SERVER_ACCOUNTS_NONE;
	servers->is_cut = !time_window_is_all(input->window);
	servers->times = server_times_of(input->window);
	servers->requests =
		trackers_requests(input->trackers, &servers->callback);
	if (servers->requests)
		return servers;
	servers_free(servers);
	return NULL;
}

void servers_free(struct servers *servers)
{
	if (!servers)
		return;
	server_accounts_free(&servers->chains);
	server_accounts_free(&servers->accounts);
	server_times_free(&servers->times);
	free(servers);
}

/* Writes or reads which clients each server has, so that the table of a window
 * has the same rows as that of the recording.
 */
static void pack_clients(struct event_handler *handler, struct pack *pack)
{
	struct servers *servers = (struct servers *)handler;
	const struct server_accounts *accounts = &servers->chains;
	uint32_t count = (uint32_t)accounts->all.items.count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct server_account account = { 0 };

		if (!pack->is_reading)
			account = *server_accounts_at(accounts, i);
		pack_i32(pack, &account.server_pid);
		pack_i32(pack, &account.client_pid);
		pack_i32(pack, &account.first_pid);
		if (pack->is_reading && !pack->failed)
			account_of(servers, account.server_pid,
				   account.client_pid, account.first_pid);
	}
}

static void read_record(struct event_handler *handler, struct pack *pack)
{
	struct server_record record = { 0 };

	server_record_pack(pack, &record);
	if (!pack->failed)
		consume_record((struct servers *)handler, &record);
}

const struct table_records server_records = {
	.name = "servers",
	.writer = offsetof(struct servers, writer),
	.pack_rest = pack_clients,
	.consume = read_record,
	.wanted = table_records_overlap,
};

/* Charges the time in the window. */
static void charge_cut(struct servers *servers)
{
	const struct server_times *times = &servers->times;
	const struct array *threads = &times->threads.items;
	uint64_t parts[REQUEST_PARTS];

	for (size_t i = 0; i < times->segments.count; i++) {
		const struct server_record *segment =
			array_at(&times->segments, i);
		struct server_account *account =
			account_of(servers, segment->pid, segment->client_pid,
				   segment->first_pid);

		server_times_of_segment(times, segment, parts);
		if (account)
			charge(account, parts, segment->is_inferred);
	}
	for (size_t i = 0; i < threads->count; i++) {
		const struct server_thread *thread = array_at(threads, i);

		charge_nobody(servers, thread->pid, thread->parts);
	}
}

static void charge_threads(struct servers *servers)
{
	const struct task *task;
	const uint64_t *parts;

	for (size_t i = 0; i < requests_thread_count(servers->requests); i++) {
		task = requests_thread(servers->requests, i, &parts);
		if (task)
			charge_nobody(servers, task->pid, parts);
	}
}

/* Adds @chain to the account of its direct client or, if is_through, of its
 * first one.
 */
static void fold(struct servers *servers, const struct server_account *chain)
{
	struct server_account *account = server_accounts_add(
		&servers->accounts, chain->server_pid,
		servers->is_through ? chain->first_pid : chain->client_pid);

	if (!account) {
		servers->status = -ERROR_MEMORY;
		return;
	}
	account->requests += chain->requests;
	account->kernel_ns += chain->kernel_ns;
	account->user_ns += chain->user_ns;
	account->tracer_ns += chain->tracer_ns;
	account->runnable_ns += chain->runnable_ns;
	account->asleep_ns += chain->asleep_ns;
	account->inferred_ns += chain->inferred_ns;
}

int servers_end(struct servers *servers)
{
	const struct server_accounts *chains = &servers->chains;
	const struct server_account *chain;

	if (servers->is_cut)
		charge_cut(servers);
	else
		charge_threads(servers);
	for (size_t i = 0; (chain = server_accounts_at(chains, i)); i++)
		if (chain->client_pid >= 0)
			give_back(servers, i);
	for (size_t i = 0; (chain = server_accounts_at(chains, i)); i++)
		fold(servers, chain);
	return servers->status;
}

const struct server_accounts *servers_accounts(const struct servers *servers)
{
	return &servers->accounts;
}
