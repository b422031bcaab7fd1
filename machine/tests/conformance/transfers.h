/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_TESTS_TRANSFERS_H
#define KT_MACHINE_TESTS_TRANSFERS_H

#include "machine/tests/conformance/recording.h"

#include <intel-pt.h>

/* The flow information in a stream's packets alone, without the code: each
 * packet with the address that execution went to, and the events bound to it.
 *
 * libipt's packet decoder finds the packets; those that it is too old for (CFE,
 * EVD, IF in MODE.Exec) are decoded here.
 */
enum transfer_kind {
	TRANSFER_BEGIN, /* TIP.PGE */
	TRANSFER_JUMP,	/* TIP */
	TRANSFER_END,	/* TIP.PGD */
};

enum transfer_event {
	TRANSFER_NO_EVENT,
	TRANSFER_INTERRUPT,
	TRANSFER_IRET,
};

struct transfer {
	enum transfer_kind kind;
	uint64_t from, to;
	bool from_known; /* a FUP preceded: asynchronous, or an event's */
	bool to_known;
	enum transfer_event event;
	uint8_t vector;
	bool has_fault; /* EVD: */
	uint64_t fault;
	bool interrupts_before; /* IF, according to earlier packets */
	bool interrupts;
	/* PWRX since the last transfer: EXSTOP's address, or 0 */
	uint64_t wakes_from;
	uint64_t offset; /* of the packet */
};

struct transfers {
	struct pt_packet_decoder *decoder;
	const uint8_t *bytes;
	size_t size;
	uint64_t last_ip;
	struct transfer next; /* the incomplete next transfer */
	bool in_psb;
	bool bound;   /* the next FUP belongs to an earlier packet */
	bool stopped; /* the next FUP is the address of EXSTOP */
	uint64_t stopped_at;
	uint64_t tsc;	       /* of the last TSC packet */
	uint64_t first_tsc;    /* the stream's first */
	uint64_t flag_writes;  /* MODE.Exec packets without a transfer */
	uint64_t branches;     /* TNT packets */
	uint64_t stops, wakes; /* PWRE, PWRX */
	const char *error;     /* NULL: none */
};

/* Borrows @stream. Returns false if libipt rejects it. */
bool transfers_open(struct transfers *transfers,
		    const struct trace_stream *stream);
void transfers_close(struct transfers *transfers);

/* Returns 1 and fills @transfer, or 0 at the end; transfers->error is NULL if
 * that is the stream's end.
 */
int transfers_next(struct transfers *transfers, struct transfer *transfer);

#endif
