/* SPDX-License-Identifier: MIT */
#include "attribution/processes/servers.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/processes/message_kinds.h"
#include "attribution/processes/server_accounts.h"
#include "attribution/processes/servers_parts.h"
#include "attribution/table.h"
#include "attribution/time/task_paths.h"
#include "attribution/time/task_time.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"
#include "symbolize/symbols/symbols.h"

#include <stdbool.h>
#include <stdlib.h>

static void take_event(struct event_handler *handler,
		       const struct event_record *event)
{
	struct servers *servers = (struct servers *)handler;

	task_time_event(servers->time, event);
	if (event->event == EVENT_SCHED_WAKING &&
	    event->time_ns >= servers->input->window.since_ns &&
	    event->time_ns < servers->input->window.until_ns)
		servers_take_wakeup(servers, event);
}

static void add_time(struct server_account *account,
		     const struct service *service, enum time_class time_class,
		     uint64_t size_ns)
{
	uint64_t *sums[TIME_CLASSES] = {
		[TIME_USER] = &account->user_ns,
		[TIME_SYSTEM_CALL] = &account->kernel_ns,
		[TIME_FAULT] = &account->kernel_ns,
		[TIME_KERNEL] = &account->kernel_ns,
		[TIME_TRACER] = &account->tracer_ns,
		[TIME_RUNNABLE] = &account->runnable_ns,
		[TIME_ASLEEP] = &account->asleep_ns,
	};

	if (!sums[time_class])
		return;
	*sums[time_class] += size_ns;
	if (time_class <= TIME_KERNEL && !service->is_exact && service->account)
		account->inferred_ns += size_ns;
}

/* A service ends where the thread waits for the next message. */
static void turn(struct servers *servers, struct service *service,
		 const struct time_span *span)
{
	bool is_sleep =
		span->time_class == TIME_ASLEEP ||
		(span->time_class == TIME_RUNNABLE && service->next_account);

	if (!is_sleep ||
	    !message_kind_waits(servers_kind_of(servers, span->task)))
		return;
	service->account = 0;
	if (span->time_class == TIME_ASLEEP)
		return;
	service->account = service->next_account;
	service->is_exact = service->is_next_exact;
	service->next_account = 0;
}

static struct servers *servers_of_callback(struct span_callback *callback)
{
	return (struct servers *)((char *)callback -
				  offsetof(struct servers, callback));
}

/* Time that is for nobody known has an account as well: a server's accounts
 * add up to its time.
 */
static void take_span(struct span_callback *callback,
		      const struct time_span *span)
{
	struct servers *servers = servers_of_callback(callback);
	struct service *service = servers_service(servers, span->task->index);
	bool is_idle = span->time_class == TIME_ASLEEP;
	size_t number;

	if (!service)
		return;
	if (is_idle)
		message_order_sleep(&service->order);
	turn(servers, service, span);
	if (!service->account && is_idle)
		return;
	number = service->account ? service->account - 1 :
				    server_accounts_add(servers->accounts,
							span->task->pid, -1);
	if (number == SERVER_ACCOUNT_NONE)
		servers->status = -ERROR_MEMORY;
	else
		add_time(server_accounts_at(servers->accounts, number), service,
			 time_span_account(span),
			 span->end_ns - span->begin_ns);
}

static void take_step(struct event_handler *handler,
		      const struct call_step *step)
{
	struct servers *servers = (struct servers *)handler;

	task_time_step(servers->time, step);
	if (task_paths_take(servers->paths, step) < 0)
		servers->status = -ERROR_MEMORY;
	servers_take_call(servers, step);
}

static void take_record(struct event_handler *handler,
			const struct sideband_record *record)
{
	struct servers *servers = (struct servers *)handler;

	task_time_record(servers->time, record);
	if (record->kind == SIDEBAND_COMM && record->comm.exec)
		servers_take_exec(servers, record);
}

struct servers *servers_new(const struct attribution_input *input)
{
	struct servers *servers = calloc(1, sizeof(*servers));
	struct task_time_options options = task_time_options_of(input);

	if (!servers)
		return NULL;
	servers->handler = (struct event_handler){
		.step = take_step,
		.event = take_event,
		.record = take_record,
	};
	servers->callback.take = take_span;
	servers->input = input;
	servers->services = ARRAY_OF(struct service);
	servers->time = task_time_new(&options, &servers->callback);
	servers->paths = task_paths_new();
	servers->kinds = message_kinds_new(symbols_functions(input->symbols));
	servers->accounts = server_accounts_new();
	if (!servers->time || !servers->paths || !servers->kinds ||
	    !servers->accounts) {
		servers_free(servers);
		return NULL;
	}
	return servers;
}

void servers_free(struct servers *servers)
{
	if (!servers)
		return;
	task_time_free(servers->time);
	task_paths_free(servers->paths);
	message_kinds_free(servers->kinds);
	server_accounts_free(servers->accounts);
	array_free(&servers->services);
	free(servers);
}

struct event_handler *servers_handler(struct servers *servers)
{
	return &servers->handler;
}

int servers_end(struct servers *servers)
{
	int status = task_time_end(servers->time);

	return status < 0 ? status : servers->status;
}

const struct server_accounts *servers_accounts(const struct servers *servers)
{
	return servers->accounts;
}
