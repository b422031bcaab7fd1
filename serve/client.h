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
	int socket; /* non-blocking */
	struct peer peer;
	uint64_t since_ms;
	bool is_served;		     /* its thread's events are open */
	struct thread_events events; /* wake-up events must stay open here */
};

/* Takes ownership of the connection @socket and identifies its peer. Returns
 * the client, or NULL if its process has ended or when out of memory; @socket
 * is closed then.
 */
struct client *client_new(int socket, uint64_t now_ms);
void client_free(struct client *client);

/* The conditions for serving a client. */
struct client_rules {
	gid_t group;	     /* required group of clients other than root */
	const char *refusal; /* why no more clients are served now; or NULL */
};

/* Reads the client's request, and grants it or reports the reason for a refusal
 * to the client and to @log.
 *
 * Returns 0 if the client is served now, or -ERROR_SYSTEM: the caller must free
 * it.
 */
int client_answer(struct client *client, const struct client_rules *rules,
		  struct kernel_files *files, const struct log *log);

#endif
