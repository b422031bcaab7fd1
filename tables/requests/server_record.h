/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_RECORD_H
#define KT_TABLES_SERVER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct kept_file_writer;
struct pack;

enum server_record_kind {
	/* an interval of a thread's time, with its enum request_part */
	SERVER_STRETCH,
	/* an interval in which the thread worked for a client */
	SERVER_HOLD,
	SERVER_REQUEST, /* a client sent a request */
	SERVER_RECORD_KINDS,
};

/* A record that server accounts are summed from. */
struct server_record {
	uint8_t kind;	    /* enum server_record_kind */
	uint8_t part;	    /* SERVER_STRETCH: enum request_part */
	bool is_inferred;   /* SERVER_HOLD: the client is inferred */
	uint32_t thread;    /* its task's index; not SERVER_REQUEST */
	int32_t pid;	    /* of the server; SERVER_STRETCH: of any thread */
	int32_t client_pid; /* not SERVER_STRETCH */
	uint64_t begin_ns;
	uint64_t end_ns; /* SERVER_REQUEST: equal to begin_ns */
};

/* Writes @record, or reads it into a zeroed one. */
void server_record_pack(struct pack *pack, struct server_record *record);

void server_record_keep(struct kept_file_writer *writer,
			const struct server_record *record);

#endif
