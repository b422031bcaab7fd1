/* SPDX-License-Identifier: MIT */
#include "attribution/processes/servers_parts.h"

#include "attribution/events/known_events.h"
#include "attribution/processes/server_accounts.h"
#include "attribution/time/task_paths.h"
#include "common/error.h"
#include "decoder/recording/sideband.h"

struct service *servers_service(struct servers *servers, uint32_t index)
{
	struct service *service = array_reach(&servers->services, index);

	if (!service)
		servers->status = -ERROR_MEMORY;
	return service;
}

enum message_kind servers_kind_of(const struct servers *servers,
				  const struct task *task)
{
	size_t count;
	const struct path_frame *path =
		task_paths_of(servers->paths, task->index, &count);

	return message_kind_of_path(servers->kinds, path, count);
}

static bool sends(enum message_kind kind)
{
	return kind == MESSAGE_SEND || kind == MESSAGE_SEND_NETWORK;
}

/* Of two processes that wake each other the one that does so first is the
 * client, unless it answers.
 */
static bool is_client(struct servers *servers, const struct task *client,
		      const struct task *server)
{
	size_t waker = client->index;
	size_t woken = server->index;
	const struct service *all;

	if (!servers_service(servers, client->index) ||
	    !servers_service(servers, server->index))
		return false;
	all = servers->services.items;
	if (message_order_answers(&all[waker].order, &all[woken].order))
		server_accounts_is_client(servers->accounts, server->pid,
					  client->pid);
	return server_accounts_is_client(servers->accounts, client->pid,
					 server->pid);
}

/* @client's message wakes @server. */
static void request(struct servers *servers, const struct task *client,
		    const struct task *server, bool is_exact)
{
	struct service *service = servers_service(servers, server->index);
	size_t number = server_accounts_add(servers->accounts, server->pid,
					    client->pid);

	if (!service || number == SERVER_ACCOUNT_NONE) {
		servers->status = -ERROR_MEMORY;
		return;
	}
	service->next_account = number + 1;
	service->is_next_exact = is_exact;
	server_accounts_at(servers->accounts, number)->requests++;
}

/* The message that @task sends wakes somebody. */
static void note_heard(struct servers *servers, const struct task *task)
{
	struct service *service = servers_service(servers, task->index);

	if (service)
		message_order_wake(&service->order);
}

void servers_take_wakeup(struct servers *servers,
			 const struct event_record *event)
{
	const struct task *client =
		task_paths_task(servers->paths, event->cpu, event->tid);
	const struct task *server = task_paths_task(
		servers->paths, event->cpu, (int32_t)event->values[WAKING_TID]);
	enum message_kind sent;
	enum message_kind awaited;

	if (!client || !server || client->tid <= 0 || server->tid <= 0 ||
	    client->pid == server->pid)
		return;
	sent = servers_kind_of(servers, client);
	if (sends(sent))
		note_heard(servers, client);
	awaited = servers_kind_of(servers, server);
	if (sends(sent) && message_kind_waits(awaited) &&
	    is_client(servers, client, server))
		request(servers, client, server,
			sent == MESSAGE_SEND && awaited == MESSAGE_WAIT);
}

/* What is read next may be another's. */
static void note_reading(struct service *service, bool begins)
{
	if (!begins) {
		message_order_take(&service->order);
		return;
	}
	service->is_exact = false;
	message_order_wait(&service->order);
}

void servers_take_call(struct servers *servers, const struct call_step *step)
{
	bool begins = step->kind == STEP_ENTER;
	enum message_kind kind;
	struct service *service;

	if (!begins && step->kind != STEP_EXIT)
		return;
	kind = message_kind_of(servers->kinds, step->function);
	if (kind == MESSAGE_NONE)
		return;
	service = servers_service(servers, step->task->index);
	if (service && message_kind_waits(kind))
		note_reading(service, begins);
	else if (service && begins)
		message_order_send(&service->order);
}

void servers_take_exec(struct servers *servers,
		       const struct sideband_record *record)
{
	const struct task *task =
		task_paths_task(servers->paths, record->cpu, record->tid);
	struct service *service = task ? servers_service(servers, task->index) :
					 NULL;

	if (service)
		*service = (struct service){ 0 };
}
