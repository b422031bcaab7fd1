/* SPDX-License-Identifier: MIT */
#include "serve/server.h"
#include "collector/signal_source.h"
#include "common/array.h"
#include "common/budget.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/log.h"
#include "serve/client.h"
#include "serve/kernel_files.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The polled descriptors: these, then two for each client. */
enum { POLL_SIGNALS, POLL_SOCKET, POLL_CLIENTS };

struct server {
	const struct log *log;
	gid_t group;
	int socket;
	struct signal_source signals;
	struct kernel_files files;
	struct array clients; /* struct client * */
	struct array polled;  /* struct pollfd */
	uint64_t deaf_until_ms;
};

static struct client *client_at(const struct server *server, size_t index)
{
	return *(struct client **)array_at(&server->clients, index);
}

/* Counts the clients that are served, or are not yet; only those of @uid,
 * unless it is NULL.
 */
static size_t count_clients(const struct server *server, bool is_served,
			    const uid_t *uid)
{
	size_t count = 0;

	for (size_t i = 0; i < server->clients.count; i++) {
		const struct client *client = client_at(server, i);

		count += client->is_served == is_served &&
			 (!uid || client->peer.uid == *uid);
	}
	return count;
}

static void add_client(struct server *server, int socket)
{
	struct client *client = client_new(socket, monotonic_ms());
	struct client **place;

	if (!client)
		return;
	place = count_clients(server, false, &client->peer.uid) <
				BUDGET_SERVE_WAITING_OF_USER ?
			array_add(&server->clients) :
			NULL;
	if (place)
		*place = client;
	else
		client_free(client);
}

/* When no descriptors are free, poll(2) would report a pending connection again
 * and again.
 */
static void accept_client(struct server *server)
{
	enum { PAUSE_MS = 1000 };
	int socket = accept4(server->socket, NULL, NULL,
			     SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (socket >= 0) {
		add_client(server, socket);
	} else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
		log_message(server->log, LOG_WARNING, NULL, LOG_NO_OFFSET,
			    "a connection cannot be taken: %s",
			    strerror(errno));
		server->deaf_until_ms = monotonic_ms() + PAUSE_MS;
	}
}

static const char *refusal_of(const struct server *server, const uid_t *uid)
{
	if (count_clients(server, true, NULL) >= BUDGET_SERVED_THREADS)
		return "the service has as many threads as it can have";
	if (count_clients(server, true, uid) >= BUDGET_SERVED_THREADS_OF_USER)
		return "the service has as many threads of this user as it "
		       "can have";
	return NULL;
}

/* A client that is served must not send anything more: it closed, or
 * misbehaves. Returns whether it stays.
 */
static bool hear(struct server *server, struct client *client)
{
	const struct client_rules rules = {
		.group = server->group,
		.refusal = refusal_of(server, &client->peer.uid),
	};
	char byte;

	if (client->is_served)
		return false;
	/* Do not answer or log a client that closed without a request. */
	return recv(client->socket, &byte, 1, MSG_PEEK) > 0 &&
	       !client_answer(client, &rules, &server->files, server->log);
}

static bool is_late(const struct client *client, uint64_t now)
{
	return !client->is_served &&
	       now - client->since_ms > BUDGET_SERVE_WAITING_MS;
}

/* Handles input of all clients, and drops those that have ended. */
static void hear_clients(struct server *server)
{
	const struct pollfd *polled =
		(struct pollfd *)server->polled.items + POLL_CLIENTS;
	struct client **clients = server->clients.items;
	size_t kept = 0;

	for (size_t i = 0; i < server->clients.count; i++) {
		/* The connection may outlive its process if another one holds
		 * it.
		 */
		bool has_ended = polled[2 * i + 1].revents;
		bool stays = !has_ended && !is_late(clients[i], monotonic_ms());

		if (stays && polled[2 * i].revents)
			stays = hear(server, clients[i]);
		if (stays)
			clients[kept++] = clients[i];
		else
			client_free(clients[i]);
	}
	server->clients.count = kept;
}

static bool is_deaf(const struct server *server)
{
	return count_clients(server, false, NULL) >= BUDGET_SERVE_WAITING ||
	       monotonic_ms() < server->deaf_until_ms;
}

static int add_polled(struct server *server, int fd)
{
	return array_append(&server->polled,
			    &(struct pollfd){ .fd = fd, .events = POLLIN });
}

static int collect_polled(struct server *server)
{
	int error;

	server->polled.count = 0;
	error = add_polled(server, server->signals.fd);
	if (!error)
		error = add_polled(server,
				   is_deaf(server) ? -1 : server->socket);
	for (size_t i = 0; i < server->clients.count && !error; i++) {
		const struct client *client = client_at(server, i);

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
	bool has_to_look = is_deaf(server) ||
			   count_clients(server, false, NULL) > 0;
	int count = poll(server->polled.items, server->polled.count,
			 has_to_look ? LOOK_MS : -1);

	return count < 0 && errno != EINTR ? -ERROR_SYSTEM : 0;
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
		const struct pollfd *polled;
		int error = collect_polled(server);

		if (!error)
			error = wait_once(server);
		if (error)
			return fail(server, error);
		/* Accept after dropping clients, which makes room. */
		hear_clients(server);
		polled = array_at(&server->polled, POLL_SOCKET);
		if (polled->revents)
			accept_client(server);
	}
	return 0;
}

/* Each client needs descriptors for each CPU. */
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
	if (signal_source_open(&server->signals)) {
		log_message(server->log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "signals: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	return kernel_files_open(&server->files, server->log);
}

int server_open(int socket, gid_t group, const struct log *log,
		struct server **server)
{
	struct server *new = calloc(1, sizeof(*new));
	int error;

	if (!new)
		return -ERROR_MEMORY;
	*new = (struct server){
		.log = log,
		.group = group,
		.socket = socket,
		.signals = { -1 },
		.clients = ARRAY_OF(struct client *),
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
	for (size_t i = 0; i < server->clients.count; i++)
		client_free(client_at(server, i));
	array_free(&server->clients);
	array_free(&server->polled);
	kernel_files_close(&server->files);
	signal_source_close(&server->signals);
	free(server);
}
