/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_SERVER_RECORD_H
#define KT_TABLES_SERVER_RECORD_H

#include <stdbool.h>
#include <stdint.h>

struct kept_file_writer;
struct pack;

enum server_record_kind {
	SERVER_STRETCH, /* a thread's time, by what it is to a request */
	SERVER_HOLD,	/* the same thread worked for a client */
	SERVER_REQUEST, /* a client sent one */
	SERVER_RECORD_KINDS,
};

/* What servers' accounts are added up of. */
struct server_record {
	uint8_t kind;	    /* enum server_record_kind */
	uint8_t part;	    /* SERVER_STRETCH: enum request_part */
	bool is_inferred;   /* SERVER_HOLD: for whom */
	uint32_t thread;    /* but of SERVER_REQUEST: its task's index */
	int32_t pid;	    /* the server's, or that of any thread */
	int32_t client_pid; /* but of SERVER_STRETCH */
	uint64_t begin_ns;
	uint64_t end_ns; /* of SERVER_REQUEST: as begin_ns */
};

/* Writes @record, or reads it into a zeroed one. */
void server_record_pack(struct pack *pack, struct server_record *record);

void server_record_keep(struct kept_file_writer *writer,
			const struct server_record *record);

#endif
