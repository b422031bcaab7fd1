/* SPDX-License-Identifier: MIT */
#include "view/http/server.h"

#include "view/page/page.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

/* The HTTP side of the page, with libmicrohttpd in one thread of its own. A
 * request is refused unless its Host header is this server's address and its
 * path starts with the secret token; then it is the page itself, a file of it,
 * or the answer to a question about the recording (view/answer/answer.h), which
 * is called in that thread and fills in a struct reply.
 *
 * The list of open connections, oldest first, is only for limits: a new
 * connection beyond CONNECTIONS closes the longest idle one, so that a browser
 * that leaves connections open cannot lock others out.
 */

/* Connections that may stay open, and how many may be open while the others
 * close. MHD has one thread, so this needs no lock.
 */
enum { CONNECTIONS = 16, CONNECTIONS_MOST = 64, IDLE_SECONDS = 30 };

struct open_connection {
	int fd;
	bool is_shut; /* shut down to make room; MHD is about to close it */
};

struct view_server {
	const struct view_sources *sources;
	struct MHD_Daemon *daemon;
	struct view_token token;
	char host[32]; /* required Host header */
	char address[96];
	/* In order of last use, oldest first. */
	struct open_connection open[CONNECTIONS_MOST];
	size_t open_count;
};

/* A response. */
struct reply {
	unsigned int status;
	const char *type;
	char nonce[sizeof(((struct view_token *)NULL)->text)];
	char *body; /* the caller frees it */
	size_t size;
};

static const char json_type[] = "application/json; charset=utf-8";

/* Headers that allow only the page's own scripts, no other sources, and no
 * embedding in another page.
 */
static void add_headers(struct MHD_Response *response,
			const struct reply *reply)
{
	static const char rest[] = "; connect-src 'self'; base-uri 'none'; "
				   "form-action 'none'; frame-ancestors 'none'";
	char policy[512];

	snprintf(policy, sizeof(policy),
		 "default-src 'none'; script-src 'nonce-%s'; "
		 "style-src 'nonce-%s'%s",
		 reply->nonce, reply->nonce, rest);
	MHD_add_response_header(response, "Content-Security-Policy", policy);
	MHD_add_response_header(response, "Content-Type", reply->type);
	MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
	MHD_add_response_header(response, "Cache-Control", "no-store");
	MHD_add_response_header(response, "Cross-Origin-Resource-Policy",
				"same-origin");
}

static enum MHD_Result send_reply(struct MHD_Connection *connection,
				  struct reply *reply)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		reply->size, reply->body, MHD_RESPMEM_MUST_FREE);
	enum MHD_Result result;

	if (!response) {
		free(reply->body);
		return MHD_NO;
	}
	add_headers(response, reply);
	result = MHD_queue_response(connection, reply->status, response);
	MHD_destroy_response(response);
	return result;
}

/* Returns a query argument of the connection. */
static const char *argument(const struct view_request *request,
			    const char *name)
{
	struct MHD_Connection *connection;

	memcpy(&connection, request->ctx, sizeof(connection));
	return MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND,
					   name);
}

static void write_answer(const struct view_server *server,
			 struct MHD_Connection *connection, const char *path,
			 FILE *out, struct reply *reply)
{
	const struct view_request request = {
		.argument = argument,
		.ctx = &connection,
	};

	reply->type = json_type;
	reply->status = view_answer(server->sources, path, &request, out);
}

static void write_page(FILE *out, struct reply *reply)
{
	struct view_token nonce;

	if (!view_token_make(&nonce)) {
		reply->status = VIEW_FAILED;
		return;
	}
	memcpy(reply->nonce, nonce.text, sizeof(reply->nonce));
	reply->type = "text/html; charset=utf-8";
	page_write(out, &recording_page, nonce.text, NULL, NULL);
}

/* Rejects other hosts, against DNS rebinding: another site's name may resolve
 * to this server.
 */
static bool is_for_us(const struct view_server *server,
		      struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	return host && !strcmp(host, server->host);
}

static void write_reply(const struct view_server *server,
			struct MHD_Connection *connection, const char *url,
			FILE *out, struct reply *reply)
{
	static const char data[] = "/data/";
	const char *path;

	if (!is_for_us(server, connection) || *url != '/' ||
	    !view_token_fits(&server->token, url + 1)) {
		reply->status = 403;
		fputs("This is not the address that ktrace-hw view printed.\n",
		      out);
		return;
	}
	path = url + 1 + strlen(server->token.text);
	if (!strcmp(path, "/"))
		write_page(out, reply);
	else if (!strncmp(path, data, strlen(data)))
		write_answer(server, connection, path + strlen(data), out,
			     reply);
	else
		reply->status = VIEW_NOT_FOUND;
}

static int descriptor_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_CONNECTION_FD)
		->connect_fd;
}

/* Removes the connection with @fd from the list. */
static void forget_connection(struct view_server *server, int fd)
{
	size_t kept = 0;

	for (size_t i = 0; i < server->open_count; i++)
		if (server->open[i].fd != fd)
			server->open[kept++] = server->open[i];
	server->open_count = kept;
}

static void add_connection(struct view_server *server, int fd)
{
	assert(server->open_count < CONNECTIONS_MOST);
	server->open[server->open_count++] = (struct open_connection){ fd, 0 };
}

/* Shuts down the least recently used connections until CONNECTIONS are left, so
 * that a client that sends nothing, or a byte now and then, cannot lock out
 * others.
 */
static void make_room(struct view_server *server)
{
	size_t used = 0;

	for (size_t i = 0; i < server->open_count; i++)
		used += !server->open[i].is_shut;
	for (size_t i = 0; i < server->open_count && used > CONNECTIONS; i++) {
		if (server->open[i].is_shut)
			continue;
		server->open[i].is_shut = true;
		shutdown(server->open[i].fd, SHUT_RDWR);
		used--;
	}
}

static void notice(void *ctx, struct MHD_Connection *connection, void **state,
		   enum MHD_ConnectionNotificationCode code)
{
	struct view_server *server = ctx;
	int fd = descriptor_of(connection);

	(void)state;
	forget_connection(server, fd);
	if (code != MHD_CONNECTION_NOTIFY_STARTED)
		return;
	add_connection(server, fd);
	make_room(server);
}

/* Marks a connection as used when it has sent a whole request. */
static void note_use(struct view_server *server,
		     struct MHD_Connection *connection)
{
	int fd = descriptor_of(connection);

	forget_connection(server, fd);
	add_connection(server, fd);
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *connection,
			      const char *url, const char *method,
			      const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct reply reply = {
		.status = VIEW_OK,
		.type = "text/plain; charset=utf-8",
	};
	FILE *out;

	(void)version;
	(void)upload;
	(void)upload_size;
	(void)state;
	note_use(ctx, connection);
	out = open_memstream(&reply.body, &reply.size);
	if (!out)
		return MHD_NO;
	if (strcmp(method, "GET") != 0)
		reply.status = 405;
	else
		write_reply(ctx, connection, url, out, &reply);
	if (fclose(out) == EOF) {
		free(reply.body);
		return MHD_NO;
	}
	return send_reply(connection, &reply);
}

static uint16_t port_of(struct MHD_Daemon *daemon)
{
	return MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
}

static struct MHD_Daemon *listen_on(struct view_server *server, uint16_t port)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	return MHD_start_daemon(
		MHD_USE_INTERNAL_POLLING_THREAD, port, NULL, NULL, handle,
		server, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
		MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS_MOST,
		MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_SECONDS,
		MHD_OPTION_NOTIFY_CONNECTION, notice, server, MHD_OPTION_END);
}

struct view_server *view_server_start(const struct view_sources *sources,
				      uint16_t port)
{
	struct view_server *server = calloc(1, sizeof(*server));

	if (!server)
		return NULL;
	server->sources = sources;
	if (view_token_make(&server->token))
		server->daemon = listen_on(server, port);
	if (!server->daemon) {
		free(server);
		return NULL;
	}
	snprintf(server->host, sizeof(server->host), "127.0.0.1:%u",
		 port_of(server->daemon));
	snprintf(server->address, sizeof(server->address), "http://%s/%s/",
		 server->host, server->token.text);
	return server;
}

void view_server_stop(struct view_server *server)
{
	if (!server)
		return;
	MHD_stop_daemon(server->daemon);
	free(server);
}

const char *view_server_address(const struct view_server *server)
{
	return server->address;
}
