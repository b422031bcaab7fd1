/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_CLIENT_H
#define KT_SERVE_CLIENT_H

#include "collector/thread_events/thread_events.h"
#include "serve/held_descriptors.h"
#include "serve/peer.h"

#include <stdbool.h>
#include <stdint.h>

struct kernel_files;
struct log;

/* Progress of a client; it never goes back:
 *
 *	                 client_request()           client_answer()
 *	 CLIENT_SILENT ──────────────────► WAITING ─────────────────► SERVED
 *	       │                              │                          │
 *	       └──────────── client_leave() ──┴──────────► LEFT ◄────────┘
 *	                                                    │
 *	                        client_check_held()         ▼
 *	                                                   GONE
 */
enum client_phase {
	CLIENT_SILENT,	/* whose request has not been read */
	CLIENT_WAITING, /* its thread's events are open, for a copy */
	CLIENT_SERVED,	/* has received everything */
	CLIENT_LEFT,	/* has no connection, but held descriptors */
	CLIENT_GONE,	/* holds nothing; can be freed */
};

/* A connection to the service, and the descriptors passed over it. */
struct client {
	enum client_phase phase;
	int socket; /* non-blocking; -1: closed */
	struct peer peer;
	uint64_t since_ms;
	bool has_input; /* of its socket: a message, or its end */
	bool has_ended; /* its process */
	/* Wake-up events must stay open here. */
	struct thread_events events;
	uint64_t events_since;	      /* for kernel_files_take() */
	struct held_descriptors held; /* those passed to it */
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

/* Reads the request of a silent client, and opens the events of its thread.
 *
 * Returns 0; or -ERROR_SYSTEM, with the reason reported to the client and to
 * @log: the caller must call client_leave().
 */
int client_request(struct client *client, const struct client_rules *rules,
		   const struct kernel_files *files, const struct log *log);

/* Sends a waiting client its files and events, or starts the copy that it
 * needs. Returns 0 if it is served now, or still has to wait; or -ERROR_SYSTEM
 * like client_request().
 */
int client_answer(struct client *client, struct kernel_files *files,
		  const struct log *log);

/* Closes the connection and all that this process holds for the client, and
 * calls client_check_held().
 */
void client_leave(struct client *client);

/* Turns a client that has left into one that is gone, unless something that it
 * was given is still open, in whatever process: that pins memory.
 */
void client_check_held(struct client *client);

#endif
