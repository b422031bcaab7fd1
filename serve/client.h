/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_CLIENT_H
#define KT_SERVE_CLIENT_H

#include "collector/thread_events/thread_events.h"
#include "serve/peer.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_files;
struct log;

/* A connection to the service. */
struct client {
	int socket; /* which never waits */
	struct peer peer;
	uint64_t since_ms;
	bool is_served;		     /* its thread's events are open */
	struct thread_events events; /* those of wake-ups do their work here */
};

/* Takes the connection @socket over: of whom it is.  Returns the client, or NULL
 * if its process has ended or memory is out; @socket is closed then.
 */
struct client *client_new(int socket, uint64_t now_ms);
void client_free(struct client *client);

/* What a client may be given. */
struct client_rules {
	gid_t group;	     /* that it has to be of, unless it is root */
	const char *refusal; /* NULL, or why no more are served now */
};

/* Reads the client's request, and grants it or says why not: to the client, and
 * to @log.
 *
 * Returns 0 if it is served now, or -ERROR_SYSTEM: it is to be freed.
 */
int client_answer(struct client *client, const struct client_rules *rules,
		  struct kernel_files *files, const struct log *log);

#endif
