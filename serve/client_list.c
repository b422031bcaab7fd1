/* SPDX-License-Identifier: MIT */
#include "serve/client_list_internal.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "serve/kernel_files_internal.h"
#include "serve/serve_message.h"
#include "serve/service_socket.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

int held_descriptors_open(struct held_descriptors *held)
{
	held->epoll = epoll_create1(EPOLL_CLOEXEC);
	return held->epoll < 0 ? -ERROR_SYSTEM : 0;
}

void held_descriptors_close(struct held_descriptors *held)
{
	if (held->epoll >= 0)
		close(held->epoll);
	*held = HELD_DESCRIPTORS_NONE;
}

int held_descriptors_add(const struct held_descriptors *held, int fd)
{
	struct epoll_event no_events = { 0 };

	return epoll_ctl(held->epoll, EPOLL_CTL_ADD, fd, &no_events) ?
		       -ERROR_SYSTEM :
		       0;
}

/* The kernel lists the entries in fdinfo after four lines of some ten bytes, so
 * the start of the file shows whether there are any.
 */
bool held_descriptors_any(const struct held_descriptors *held)
{
	char path[64];
	char text[1024];
	ssize_t size;
	int fd;

	if (held->epoll < 0)
		return false;
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", held->epoll);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return true;
	text[size] = '\0';
	return strstr(text, "\ntfd:");
}

/* Changes the phase of a client from CLIENT_LEFT to CLIENT_GONE, unless some
 * process still has a descriptor open that the client was given, and with it
 * pins memory.
 */
static void client_check_held(struct client *client)
{
	if (client->phase == CLIENT_LEFT &&
	    !held_descriptors_any(&client->held))
		client->phase = CLIENT_GONE;
}

void client_leave(struct client *client)
{
	if (client->phase >= CLIENT_LEFT)
		return;
	thread_events_close(&client->events);
	peer_close(&client->peer);
	close(client->socket);
	client->socket = -1;
	client->phase = CLIENT_LEFT;
	client_check_held(client);
}

static void client_free(struct client *client)
{
	if (!client)
		return;
	client_leave(client);
	held_descriptors_close(&client->held);
	free(client);
}

struct client *client_new(int socket, uint64_t now_ms)
{
	struct client *client = calloc(1, sizeof(*client));

	if (client) {
		client->socket = socket;
		client->since_ms = now_ms;
		client->held = HELD_DESCRIPTORS_NONE;
		if (!peer_find(socket, &client->peer))
			return client;
		client_free(client);
		return NULL;
	}
	close(socket);
	return NULL;
}

/* Reads the client's request into @trace. Returns 0, or -ERROR_SYSTEM with the
 * reason in @refused. Descriptors sent with the request are not received.
 */
static int read_request(const struct client *client, struct serve_trace *trace,
			struct serve_refused *refused)
{
	uint8_t bytes[sizeof(*trace)];
	ssize_t size = recv(client->socket, bytes, sizeof(bytes), MSG_TRUNC);
	int error = size < 0 ? -ERROR_SYSTEM :
			       serve_request_read(bytes,
						  (size_t)size > sizeof(bytes) ?
							  0 :
							  (size_t)size,
						  trace);

	if (error == -ERROR_UNSUPPORTED)
		return refusal_set(
			refused, EPROTO,
			"the service is of another version than "
			"the library: install both from one package");
	return error ? refusal_set(refused, EPROTO,
				   "this is no request that the service "
				   "knows") :
		       0;
}

static int check_peer(const struct client *client,
		      const struct client_rules *rules,
		      struct serve_refused *refused)
{
	return peer_is_allowed(&client->peer, client->socket, rules->group) ?
		       0 :
		       refusal_set(refused, EACCES,
				   "this user is not in the service's group");
}

static int check_request(const struct client *client,
			 const struct client_rules *rules,
			 const struct serve_trace *trace,
			 struct serve_refused *refused)
{
	if (rules->refusal)
		return refusal_set(refused, EAGAIN, rules->refusal);
	if (!peer_owns_thread(&client->peer, trace->tid))
		return refusal_set(refused, EACCES,
				   "the thread is not one of the process that "
				   "asks, as its user runs it (programs in a "
				   "PID namespace of their own cannot be "
				   "served)");
	return 0;
}

/* Sends @message, with the descriptors @fds unless its events stay in this
 * process. Watches the descriptors that it sends: the client counts until all
 * processes have closed them.
 */
static int pass_events(const struct client *client,
		       const struct serve_events *message, const int *fds)
{
	size_t count = serve_role_stays(message->role) ? 0 : message->count;

	for (size_t i = 0; i < count; i++)
		if (held_descriptors_add(&client->held, fds[i]))
			return -ERROR_SYSTEM;
	return message_send(client->socket, message, serve_events_size(message),
			    fds, count);
}

static int send_events(const struct client *client, enum serve_role role,
		       size_t spec)
{
	const struct event_list *list = &client->events.events;
	const struct event_spec *what = array_at(&list->specs, spec);
	const struct event *events = list->events.items;
	struct serve_events message = {
		.head = serve_head_of(SERVE_EVENTS),
		.role = role,
	};
	int fds[SERVE_PLACES];
	int error = 0;

	memcpy(message.attr, &what->attr, sizeof(message.attr));
	for (size_t i = 0; i < list->events.count && !error; i++) {
		bool is_last = i + 1 == list->events.count ||
			       events[i + 1].spec != spec;

		if (events[i].spec != spec)
			continue;
		message.places[message.count] =
			(struct serve_place){ events[i].cpu, events[i].thread,
					      events[i].id };
		fds[message.count++] = events[i].fd;
		if (message.count < SERVE_PLACES && !is_last)
			continue;
		error = pass_events(client, &message, fds);
		message.count = 0;
	}
	return error;
}

static int send_all(const struct client *client, const int fds[SERVE_FILES])
{
	const struct serve_head head = serve_head_of(SERVE_KERNEL);
	const struct thread_events *events = &client->events;
	int error = message_send(client->socket, &head, sizeof(head), fds,
				 SERVE_FILES);

	if (!error)
		error = send_events(client, SERVE_CODE, 0);
	if (!error)
		error = send_events(client, SERVE_WAKEUPS, 1);
	if (!error && events->patch_spec)
		error = send_events(client, SERVE_PATCHES, events->patch_spec);
	return error ? error :
		       send_events(client, SERVE_THREAD, events->trace_spec);
}

static int open_events(struct client *client, const struct serve_trace *trace,
		       const struct log *log)
{
	int error = thread_events_find(&client->events, trace->tid, log);

	if (error)
		return error;
	error = held_descriptors_open(&client->held);
	if (!error)
		return thread_events_open(&client->events,
					  (size_t)trace->buffer_bytes, log);
	log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "the service cannot watch what it passes on: %s",
		    strerror(errno));
	return error;
}

/* Sends the files and events to the client. A process that meanwhile became
 * another user or got more rights by exec gets nothing. Returns like
 * kernel_files_take().
 */
static int serve(struct client *client, struct kernel_files *files,
		 const struct log *log)
{
	int fds[SERVE_FILES];
	int result = kernel_files_take(files, client->events_since, log, fds);
	int cause;

	if (result)
		return result;
	if (peer_owns_thread(&client->peer, client->events.tid))
		result = send_all(client, fds);
	else
		result = -ERROR_NOT_FOUND;
	cause = errno;
	for (size_t i = 0; i < SERVE_FILES; i++)
		close(fds[i]);
	errno = cause;
	return result;
}

/* Sets the reason for @error, for which no message was logged; errno is the
 * cause of -ERROR_SYSTEM.
 */
static void set_reason(struct serve_refused *refused, int error)
{
	int cause = error == -ERROR_MEMORY ? ENOMEM : errno;
	char text[128];

	if (error == -ERROR_NOT_FOUND || cause == ESRCH) {
		refusal_set(refused, ESRCH,
			    "the thread or its process has ended");
		return;
	}
	snprintf(text, sizeof(text), "the trace cannot be passed on: %s",
		 strerror(cause));
	refusal_set(refused, cause, text);
}

/* Reports to the client and to @log that the request failed: the reason in
 * @refused or, if that is empty, @error. Returns -ERROR_SYSTEM.
 */
static int refuse(const struct client *client, struct serve_refused *refused,
		  int error, const struct log *log)
{
	if (!refused->text[0])
		set_reason(refused, error);
	log_message(log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "process %d of user %u is refused: %s",
		    (int)client->peer.pid, (unsigned int)client->peer.uid,
		    refused->text);
	/* If sending fails, the client gets no reason: nothing else can be
	 * done.
	 */
	message_send(client->socket, refused, sizeof(*refused), NULL, 0);
	return -ERROR_SYSTEM;
}

/* Sends the client the file of sums. Returns 0; or -ERROR_SYSTEM, maybe with the
 * reason in @refused.
 */
static int send_sums(const struct client *client,
		     const struct client_rules *rules,
		     struct serve_refused *refused)
{
	const struct serve_head head = serve_head_of(SERVE_SUMS);
	int error;
	int fd;

	if (!rules->sums)
		return refusal_set(refused, EOPNOTSUPP,
				   "the service adds up no sleeps: start it "
				   "with --sums");
	fd = open(rules->sums, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return refusal_set(refused, EAGAIN,
				   "the service has no slice yet");
	error = fd < 0 ? -ERROR_SYSTEM :
			 message_send(client->socket, &head, sizeof(head), &fd,
				      1);
	if (fd >= 0)
		close(fd);
	return error;
}

/* The events are opened before client_answer() checks the copy, so that they
 * report all changes after that check.
 */
int client_request(struct client *client, const struct client_rules *rules,
		   const struct kernel_files *files, const struct log *log)
{
	struct serve_refused refused = { .head = serve_head_of(SERVE_REFUSED) };
	const struct log reasons = { refusal_keep, &refused };
	struct serve_trace trace;
	int error = read_request(client, &trace, &refused);

	if (!error)
		error = check_peer(client, rules, &refused);
	if (!error && trace.head.kind == SERVE_SUMS) {
		error = send_sums(client, rules, &refused);
		return error ? refuse(client, &refused, error, log) : 1;
	}
	if (!error)
		error = check_request(client, rules, &trace, &refused);
	if (!error)
		error = open_events(client, &trace, &reasons);
	if (error)
		return refuse(client, &refused, error, log);
	client->events_since = files->started;
	client->phase = CLIENT_WAITING;
	return 0;
}

int client_answer(struct client *client, struct kernel_files *files,
		  const struct log *log)
{
	struct serve_refused refused = { .head = serve_head_of(SERVE_REFUSED) };
	const struct log reasons = { refusal_keep, &refused };
	int result = serve(client, files, &reasons);

	if (result < 0)
		return refuse(client, &refused, result, log);
	if (!result)
		client->phase = CLIENT_SERVED;
	return 0;
}

enum { MOST_CLIENTS = BUDGET_SERVED_THREADS + BUDGET_SERVE_WAITING };

struct client *client_list_at(const struct client_list *list, size_t index)
{
	return *(struct client **)array_at(&list->clients, index);
}

void client_list_free(struct client_list *list)
{
	for (size_t i = 0; i < list->clients.count; i++)
		client_free(client_list_at(list, i));
	array_free(&list->clients);
}

/* Counts the silent clients or, unless @are_silent, those that hold a thread
 * (invariant 3); only those of @uid, unless @uid is NULL.
 */
static size_t count_clients(const struct client_list *list, bool are_silent,
			    const uid_t *uid)
{
	size_t count = 0;

	for (size_t i = 0; i < list->clients.count; i++) {
		const struct client *client = client_list_at(list, i);

		count += client->phase != CLIENT_GONE &&
			 (client->phase == CLIENT_SILENT) == are_silent &&
			 (!uid || client->peer.uid == *uid);
	}
	return count;
}

size_t client_list_silent(const struct client_list *list)
{
	return count_clients(list, true, NULL);
}

static void free_gone(struct client_list *list)
{
	struct client **clients = list->clients.items;
	size_t kept = 0;

	for (size_t i = 0; i < list->clients.count; i++) {
		if (clients[i]->phase == CLIENT_GONE)
			client_free(clients[i]);
		else
			clients[kept++] = clients[i];
	}
	list->clients.count = kept;
}

/* Returns the newest silent client of the user who has most of them, if those
 * are more than @most; otherwise NULL.
 */
static struct client *of_largest(const struct client_list *list, size_t most)
{
	struct client *found = NULL;

	for (size_t i = 0; i < list->clients.count; i++) {
		struct client *client = client_list_at(list, i);
		size_t count = count_clients(list, true, &client->peer.uid);

		if (client->phase != CLIENT_SILENT || count < most ||
		    (count == most && !found))
			continue;
		found = client;
		most = count;
	}
	return found;
}

bool client_list_has_room(const struct client_list *list, uid_t uid)
{
	return count_clients(list, true, &uid) < BUDGET_SERVE_WAITING_OF_USER &&
	       client_list_silent(list) < BUDGET_SERVE_WAITING;
}

/* Returns whether there is room for another silent client of @uid, if need be
 * after dropping another user's.
 */
static bool make_room(const struct client_list *list, uid_t uid)
{
	size_t count = count_clients(list, true, &uid);
	struct client *other = NULL;

	if (client_list_has_room(list, uid))
		return true;
	if (count < BUDGET_SERVE_WAITING_OF_USER)
		other = of_largest(list, count);
	if (other)
		client_leave(other);
	return other;
}

void client_list_add(struct client_list *list, struct client *client)
{
	bool has_room = make_room(list, client->peer.uid);

	free_gone(list);
	if (!has_room || array_append(&list->clients, &client))
		client_free(client);
}

static const char *refusal_of(const struct client_list *list, uid_t uid)
{
	size_t all = count_clients(list, false, NULL);

	if (all >= BUDGET_SERVED_THREADS)
		return "the service has as many threads as it can have";
	if (count_clients(list, false, &uid) >= BUDGET_SERVED_THREADS - all)
		return "the service has as many threads of this user as it "
		       "can have";
	return NULL;
}

const char *client_list_refusal(const struct client_list *list, uid_t uid)
{
	if (!refusal_of(list, uid))
		return NULL;
	for (size_t i = 0; i < list->clients.count; i++)
		client_check_held(client_list_at(list, i));
	return refusal_of(list, uid);
}

/* Returns whether a client of the user of client @index has acted in this
 * round; @have_acted has an entry for each earlier client.
 */
static bool has_had_turn(const struct client_list *list, size_t index,
			 const bool *have_acted)
{
	uid_t uid = client_list_at(list, index)->peer.uid;

	for (size_t i = 0; i < index; i++)
		if (have_acted[i] && client_list_at(list, i)->peer.uid == uid)
			return true;
	return false;
}

bool client_list_round(struct client_list *list,
		       const struct client_actions *actions)
{
	bool have_acted[MOST_CLIENTS] = { 0 };
	bool is_other_ready = false;

	assert(list->clients.count <= MOST_CLIENTS); /* invariants 2, 3 */
	for (size_t i = 0; i < list->clients.count; i++) {
		struct client *client = client_list_at(list, i);

		if (!actions->is_ready(actions->context, client))
			continue;
		if (has_had_turn(list, i, have_acted)) {
			is_other_ready = true;
			continue;
		}
		have_acted[i] = true;
		actions->act(actions->context, client);
	}
	free_gone(list);
	return is_other_ready;
}
