/* SPDX-License-Identifier: MIT */
#ifndef KT_SERVE_SERVE_MESSAGE_H
#define KT_SERVE_SERVE_MESSAGE_H

#include "common/log.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The protocol between a program and `ktrace-hw serve`, over a Unix socket of
 * type SOCK_SEQPACKET, so that each message arrives whole or not at all.
 * Numbers have the machine's byte order, as both ends are on it.
 *
 * 	program	  TRACE	    the thread to trace
 * 	service	  KERNEL    with descriptors of files, enum serve_file
 * 		  EVENTS    of changes of the kernel's code, for each 64 CPUs;
 * 			    with a descriptor for each
 * 		  EVENTS    of wake-ups, for each 64 CPUs; without descriptors
 * 		  EVENTS    of patches that the kernel does not report, on
 * 			    kernels with such; without descriptors
 * 		  EVENTS    of the trace, one with its descriptor
 * 	or	  REFUSED   and the service closes the connection
 *
 * 	program	  SUMS
 * 	service	  SUMS	    with the descriptor of a file, and closes; or REFUSED
 *
 * No messages follow. Events without descriptors stay in the service and are
 * open for as long as the connection is; the program sees the connection end if
 * the service ends. The head and REFUSED are the same in all versions.
 */

/* The default path of the service's socket. */
#define SERVE_SOCKET "/run/ktrace-hw.sock"

enum {
	SERVE_MAGIC = 0x5748544b, /* "KTHW" */
	SERVE_VERSION = 3,
	SERVE_PLACES = 64, /* most events in one message */
	SERVE_TEXT = 400,  /* bytes of a refusal's text */
};

enum serve_kind {
	SERVE_REFUSED = 1,
	SERVE_TRACE,
	SERVE_KERNEL,
	SERVE_EVENTS,
	/* Both ways: only a struct serve_head. The file has the sums of sleeps
	 * of `ktrace-hw serve --sums` as JSON, and is open read-only.
	 */
	SERVE_SUMS,
};

/* The files sent with KERNEL. All are open read-only. The service truncates
 * them some time after the kernel's code has changed, SERVE_KCORE first: a file
 * that was read while SERVE_KCORE was not empty is complete.
 */
enum serve_file {
	SERVE_KCORE, /* in the format of kernel_copy_make(); not empty */
	SERVE_KALLSYMS,
	SERVE_MODULES,
	SERVE_FORMATS, /* the section HEADER_TRACING_DATA of a recording */
	SERVE_FILES,
};

/* The purposes of events, in sending order. */
enum serve_role {
	SERVE_CODE,
	SERVE_WAKEUPS,
	SERVE_PATCHES,
	SERVE_THREAD,
	SERVE_ROLES,
};

/* Returns whether the service keeps the descriptors of events of @role. */
bool serve_role_stays(enum serve_role role);

struct serve_head {
	uint32_t magic;
	uint16_t version;
	uint16_t kind; /* enum serve_kind */
};

struct serve_trace {
	struct serve_head head;
	/* in the PID namespace of the service, which the program must share */
	int32_t tid;
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
	uint64_t id; /* the event's id in its records */
};

struct serve_events {
	struct serve_head head;
	uint32_t role;	/* enum serve_role */
	uint32_t count; /* used entries of @places; the others are not sent */
	uint8_t attr[PERF_ATTR_SIZE_VER7]; /* struct perf_event_attr */
	struct serve_place places[SERVE_PLACES];
};

/* Any message of the service. */
union serve_reply {
	struct serve_head head;
	struct serve_refused refused;
	struct serve_events events;
};

/* Returns the name of @file in a folder with a copy of the kernel's code and
 * symbols.
 */
const char *serve_file_name(enum serve_file file);

struct serve_head serve_head_of(enum serve_kind kind);

/* Returns the size of the message @events. */
size_t serve_events_size(const struct serve_events *events);

/* Parses the @size bytes of a program's request.
 *
 * Returns 0 and *@trace, of which only the head is set if it is SERVE_SUMS;
 * -ERROR_UNSUPPORTED if it has another version; -ERROR_FORMAT.
 */
int serve_request_read(const void *bytes, size_t size,
		       struct serve_trace *trace);

/* Validates a message of @size bytes in @reply that arrived with @descriptors:
 * its content must fit, and the required descriptors must be there. Terminates
 * a text with a NUL.
 *
 * Returns 0; -ERROR_UNSUPPORTED if it has another version; -ERROR_FORMAT.
 */
int serve_reply_check(union serve_reply *reply, size_t size,
		      size_t descriptors);

/* Sets the reason of @refused; @cause is an errno. Returns -ERROR_SYSTEM. */
int refusal_set(struct serve_refused *refused, int cause, const char *text);

/* A log_fn that stores the last error message, with errno, in @refused, a
 * struct serve_refused.
 */
void refusal_keep(void *refused, enum log_level level, const char *file,
		  uint64_t offset, const char *text);

#endif
