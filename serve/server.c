/* SPDX-License-Identifier: MIT */
#include "serve/server.h"
#include "collector/target/process_control.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"
#include "serve/client_list_internal.h"
#include "serve/kernel_files_internal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* Indices of the polled descriptors. From POLL_CLIENTS on, each client has two:
 * its socket and its pidfd.
 */
enum { POLL_SIGNALS, POLL_SOCKET, POLL_COPY, POLL_CLIENTS };

struct server {
	const struct log *log;
	gid_t group;
	const char *sums; /* or NULL */
	int socket;
	struct signal_source signals;
	struct kernel_watch watch;
	struct kernel_files files;
	struct client_list list;
	struct array polled; /* struct pollfd */
	/* time, by monotonic_ms(), until which no connections are accepted */
	uint64_t deaf_until_ms;
	bool is_other_ready; /* a client was ready but had no turn last time */
};

/* Returns whether @client is silent and will send no request: it closed the
 * connection, its process has ended, or BUDGET_SERVE_WAITING_MS are over.
 */
static bool is_over(const struct client *client)
{
	uint64_t wait_ms = monotonic_ms() - client->since_ms;
	ssize_t size;
	char byte;

	if (client->phase != CLIENT_SILENT)
		return false;
	size = recv(client->socket, &byte, 1, MSG_PEEK);
	return client->has_ended || !size ||
	       (size < 0 &&
		(errno != EAGAIN || wait_ms > BUDGET_SERVE_WAITING_MS));
}

/* Drops silent clients that will send no request, without an answer or a
 * message. Dropping them is so cheap that it needs no turn, and makes room at
 * once.
 */
static void drop_over(struct server *server)
{
	for (size_t i = 0; i < server->list.clients.count; i++) {
		struct client *client = client_list_at(&server->list, i);

		if (!is_over(client))
			continue;
		client_leave(client);
		client->has_input = client->has_ended = false;
	}
}

static void add_client(struct server *server, int socket)
{
	struct client *client = client_new(socket, monotonic_ms());

	if (!client)
		return;
	/* Silent clients may have closed their connections since poll(2). */
	if (!client_list_has_room(&server->list, client->peer.uid))
		drop_over(server);
	client_list_add(&server->list, client);
}

/* Accepts pending connections, at most MOST_AT_ONCE, so that clients get their
 * turns in between. When no descriptors are free, poll(2) would report a
 * pending connection again and again, so the service does not listen for a
 * while.
 */
static void accept_clients(struct server *server)
{
	enum { PAUSE_MS = 1000, MOST_AT_ONCE = 64 };

	int socket = 0;

	for (int i = 0; i < MOST_AT_ONCE; i++) {
		socket = accept4(server->socket, NULL, NULL,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (socket < 0)
			break;
		add_client(server, socket);
	}
	if (socket >= 0 || errno == EAGAIN || errno == EINTR ||
	    errno == ECONNABORTED)
		return;
	log_message(server->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
		    "a connection cannot be taken: %s", strerror(errno));
	server->deaf_until_ms = monotonic_ms() + PAUSE_MS;
}

static bool is_ready(void *context, const struct client *client)
{
	const struct server *server = context;

	return client->has_input || client->has_ended ||
	       (client->phase == CLIENT_WAITING &&
		!kernel_files_is_waiting(&server->files, client->events_since));
}

static int hear(struct server *server, struct client *client)
{
	const struct client_rules rules = {
		.group = server->group,
		.refusal = client_list_refusal(&server->list, client->peer.uid),
		.sums = server->sums,
	};

	return client_request(client, &rules, &server->files, server->log);
}

/* Acts on a client whose state changed. Input after the request means that the
 * client closed the connection or misbehaves: it is dropped. The connection may
 * outlive the client's process if another process has a descriptor of it.
 */
static void act(void *context, struct client *client)
{
	struct server *server = context;
	bool stays = !client->has_ended;

	if (stays && client->has_input)
		stays = client->phase == CLIENT_SILENT && !hear(server, client);
	if (stays)
		stays = !client_answer(client, &server->files, server->log);
	if (!stays)
		client_leave(client);
	client->has_input = client->has_ended = false;
}

static int add_polled(struct server *server, int fd)
{
	return array_append(&server->polled,
			    &(struct pollfd){ .fd = fd, .events = POLLIN });
}

static int collect_polled(struct server *server)
{
	bool is_deaf = monotonic_ms() < server->deaf_until_ms;
	int error;

	server->polled.count = 0;
	error = add_polled(server, server->signals.fd);
	if (!error)
		error = add_polled(server, is_deaf ? -1 : server->socket);
	if (!error)
		error = add_polled(server, server->files.finish_fd);
	for (size_t i = 0; i < server->list.clients.count && !error; i++) {
		const struct client *client = client_list_at(&server->list, i);

		error = add_polled(server, client->socket);
		if (!error)
			error = add_polled(server, client->peer.pidfd);
	}
	return error;
}

static int wait_once(struct server *server)
{
	/* Wake up to drop late clients, or to listen again. */
	enum { LOOK_MS = 1000 };
	bool has_to_look = monotonic_ms() < server->deaf_until_ms ||
			   client_list_silent(&server->list) > 0;
	int wait_ms = server->is_other_ready ? 0 : has_to_look ? LOOK_MS : -1;
	int count = poll(server->polled.items, server->polled.count, wait_ms);

	return count < 0 && errno != EINTR ? -ERROR_SYSTEM : 0;
}

static bool is_polled(const struct server *server, size_t index)
{
	return ((const struct pollfd *)array_at(&server->polled, index))
		->revents;
}

static void note_polled(struct server *server)
{
	for (size_t i = 0; i < server->list.clients.count; i++) {
		struct client *client = client_list_at(&server->list, i);

		client->has_input = is_polled(server, POLL_CLIENTS + 2 * i);
		client->has_ended = is_polled(server, POLL_CLIENTS + 2 * i + 1);
	}
}

static void handle_polled(struct server *server)
{
	const struct client_actions actions = { server, is_ready, act };

	note_polled(server);
	drop_over(server);
	if (is_polled(server, POLL_COPY))
		kernel_files_finish(&server->files);
	server->is_other_ready = client_list_round(&server->list, &actions);
	if (is_polled(server, POLL_SOCKET))
		accept_clients(server);
}

static bool is_told_to_end(const struct server *server)
{
	struct signal_event signal;

	while (signal_source_next(&server->signals, &signal))
		if (signal.number != SIGCHLD && signal.number != SIGUSR2)
			return true;
	return false;
}

static int fail(const struct server *server, int error)
{
	log_message(server->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
		    "connections cannot be waited for: %s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error));
	return error;
}

int server_run(struct server *server)
{
	while (!is_told_to_end(server)) {
		int error = collect_polled(server);

		if (!error)
			error = wait_once(server);
		if (error)
			return fail(server, error);
		handle_polled(server);
	}
	return 0;
}

/* Raises the limit of open files: each client needs descriptors for each CPU.
 */
static void raise_limits(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int fill(struct server *server)
{
	int error;

	if (signal_source_open(&server->signals)) {
		log_message(server->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "signals: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	error = kernel_watch_open(&server->watch, server->log);
	return error ? error :
		       kernel_files_open(&server->files,
					 kernel_watch_source(&server->watch),
					 server->log);
}

int server_open(int socket, gid_t group, const char *sums,
		const struct log *log, struct server **server)
{
	struct server *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	*new = (struct server){
		.log = log,
		.group = group,
		.sums = sums,
		.socket = socket,
		.signals = { -1 },
		.watch = KERNEL_WATCH_NONE,
		.list = CLIENT_LIST_NONE,
		.polled = ARRAY_OF(struct pollfd),
	};
	raise_limits();
	error = fill(new);
	if (error) {
		server_close(new);
		return error;
	}
	*server = new;
	return 0;
}

void server_close(struct server *server)
{
	if (!server)
		return;
	client_list_free(&server->list);
	array_free(&server->polled);
	kernel_files_close(&server->files);
	kernel_watch_close(&server->watch);
	signal_source_close(&server->signals);
	free(server);
}
