/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_MESSAGE_H
#define KT_SERVE_MESSAGE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a program and `ktrace-hw serve` say to each other, over a Unix socket of
 * type SOCK_SEQPACKET, so that a message comes whole or not at all.  Numbers are
 * the machine's own, as both ends are on it.
 *
 *	program	  TRACE	    the thread that it wants to be told of
 *	service	  KERNEL    with descriptors of files, enum serve_file
 *		  EVENTS    of changes of the kernel's code, for each 64 CPUs;
 *			    with a descriptor for each
 *		  EVENTS    of wake-ups, likewise; their descriptors stay
 *		  EVENTS    of what the kernel patches without telling of it,
 *			    where it does: their descriptors stay, too
 *		  EVENTS    of the trace, one with its descriptor
 *	or	  REFUSED   and the service closes the connection
 *
 * Then nothing more is said: the events that stay are open for as long as the
 * connection is, and the program sees it end if the service does.  The head
 * and REFUSED are the same in all versions.
 */

/* Where the service is looked for. */
#define SERVE_SOCKET "/run/ktrace-hw.sock"

enum {
	SERVE_MAGIC = 0x5748544b, /* "KTHW" */
	SERVE_VERSION = 2,
	SERVE_PLACES = 64,
	SERVE_TEXT = 400,
};

enum serve_kind { SERVE_REFUSED = 1, SERVE_TRACE, SERVE_KERNEL, SERVE_EVENTS };

/* All can be read, and none written. */
enum serve_file {
	SERVE_KCORE, /* as kernel_copy_make() writes it */
	SERVE_KALLSYMS,
	SERVE_MODULES,
	SERVE_FORMATS, /* the section HEADER_TRACING_DATA of a recording */
	SERVE_FILES,
};

/* What events are for, in the order in which they are sent. */
enum serve_role {
	SERVE_CODE,
	SERVE_WAKEUPS,
	SERVE_PATCHES,
	SERVE_THREAD,
	SERVE_ROLES,
};

/* Returns whether the service keeps the events of @role to itself. */
bool serve_role_stays(enum serve_role role);

struct serve_head {
	uint32_t magic;
	uint16_t version;
	uint16_t kind; /* enum serve_kind */
};

struct serve_trace {
	struct serve_head head;
	int32_t tid; /* in the program's own PID namespace: the service's */
	uint32_t reserved;
	uint64_t buffer_bytes; /* of trace: a power of two, 64 KiB to 1 GiB */
};

struct serve_refused {
	struct serve_head head;
	int32_t cause; /* errno; 0: none */
	char text[SERVE_TEXT];
};

struct serve_place {
	int32_t cpu; /* -1: any */
	int32_t thread;
	uint64_t id; /* of the event, in the records that it writes */
};

struct serve_events {
	struct serve_head head;
	uint32_t role;	/* enum serve_role */
	uint32_t count; /* of places: what follows them is not sent */
	uint8_t attr[PERF_ATTR_SIZE_VER7]; /* struct perf_event_attr */
	struct serve_place places[SERVE_PLACES];
};

/* Whatever the service may send. */
union serve_reply {
	struct serve_head head;
	struct serve_refused refused;
	struct serve_events events;
};

/* Returns what @file is called in a folder of them. */
const char *serve_file_name(enum serve_file file);

struct serve_head serve_head_of(enum serve_kind kind);

/* Returns how many bytes @events is sent in. */
size_t serve_events_size(const struct serve_events *events);

/* Reads the @size bytes that a program sent.
 *
 * Returns 0 and *@trace; -ERROR_UNSUPPORTED: of another version; -ERROR_FORMAT.
 */
int serve_trace_read(const void *bytes, size_t size, struct serve_trace *trace);

/* Checks a message of @size bytes in @reply that came with @descriptors: what it
 * says is within it, and it has the descriptors that it needs.  A text is made to
 * end.
 *
 * Returns 0; -ERROR_UNSUPPORTED: of another version; -ERROR_FORMAT.
 */
int serve_reply_check(union serve_reply *reply, size_t size,
		      size_t descriptors);

#endif
