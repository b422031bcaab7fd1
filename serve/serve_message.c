/* SPDX-License-Identifier: MIT */
#include "serve/serve_message.h"

#include "common/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_BUFFER = 64 << 10, MOST_BUFFER = 1 << 30 };

const char *serve_file_name(enum serve_file file)
{
	static const char *const names[SERVE_FILES] = {
		[SERVE_KCORE] = "kcore",
		[SERVE_KALLSYMS] = "kallsyms",
		[SERVE_MODULES] = "modules",
		[SERVE_FORMATS] = "formats",
	};

	return names[file];
}

struct serve_head serve_head_of(enum serve_kind kind)
{
	return (struct serve_head){ SERVE_MAGIC, SERVE_VERSION,
				    (uint16_t)kind };
}

size_t serve_events_size(const struct serve_events *events)
{
	return offsetof(struct serve_events, places) +
	       events->count * sizeof(events->places[0]);
}

static int check_version(const struct serve_head *head)
{
	if (head->magic != SERVE_MAGIC)
		return -ERROR_FORMAT;
	return head->version == SERVE_VERSION ? 0 : -ERROR_UNSUPPORTED;
}

int serve_request_read(const void *bytes, size_t size,
		       struct serve_trace *trace)
{
	struct serve_head head;
	int error;

	if (size < sizeof(head))
		return -ERROR_FORMAT;
	memcpy(&head, bytes, sizeof(head));
	error = check_version(&head);
	if (error)
		return error;
	if (head.kind == SERVE_SUMS && size == sizeof(head)) {
		*trace = (struct serve_trace){ .head = head };
		return 0;
	}
	if (head.kind != SERVE_TRACE || size != sizeof(*trace))
		return -ERROR_FORMAT;
	memcpy(trace, bytes, sizeof(*trace));
	return trace->tid <= 0 || trace->reserved ||
			       trace->buffer_bytes < LEAST_BUFFER ||
			       trace->buffer_bytes > MOST_BUFFER ||
			       trace->buffer_bytes & (trace->buffer_bytes - 1) ?
		       -ERROR_FORMAT :
		       0;
}

static int check_refused(struct serve_refused *refused, size_t size,
			 size_t descriptors)
{
	if (size != sizeof(*refused) || descriptors)
		return -ERROR_FORMAT;
	refused->text[SERVE_TEXT - 1] = '\0';
	return 0;
}

bool serve_role_stays(enum serve_role role)
{
	return role == SERVE_WAKEUPS || role == SERVE_PATCHES;
}

static size_t descriptors_of(const struct serve_events *events)
{
	return serve_role_stays(events->role) ? 0 : events->count;
}

static int check_events(const struct serve_events *events, size_t size,
			size_t descriptors)
{
	if (size < offsetof(struct serve_events, places) ||
	    events->role >= SERVE_ROLES || !events->count ||
	    events->count > SERVE_PLACES || size != serve_events_size(events) ||
	    descriptors != descriptors_of(events))
		return -ERROR_FORMAT;
	return events->role != SERVE_THREAD || events->count == 1 ?
		       0 :
		       -ERROR_FORMAT;
}

int serve_reply_check(union serve_reply *reply, size_t size, size_t descriptors)
{
	int error;

	if (size < sizeof(reply->head))
		return -ERROR_FORMAT;
	error = check_version(&reply->head);
	if (reply->head.kind == SERVE_REFUSED && error != -ERROR_FORMAT)
		return check_refused(&reply->refused, size, descriptors);
	if (error)
		return error;
	if (reply->head.kind == SERVE_EVENTS)
		return check_events(&reply->events, size, descriptors);
	if (size != sizeof(reply->head))
		return -ERROR_FORMAT;
	return (reply->head.kind == SERVE_KERNEL &&
		descriptors == SERVE_FILES) ||
			       (reply->head.kind == SERVE_SUMS &&
				descriptors == 1) ?
		       0 :
		       -ERROR_FORMAT;
}

int refusal_set(struct serve_refused *refused, int cause, const char *text)
{
	refused->cause = cause;
	snprintf(refused->text, sizeof(refused->text), "%s", text);
	return -ERROR_SYSTEM;
}

void refusal_keep(void *ctx, enum log_level level, const char *file,
		  uint64_t offset, const char *text)
{
	struct serve_refused *refused = ctx;

	(void)offset;
	if (level != LOG_ERROR)
		return;
	refused->cause = errno;
	snprintf(refused->text, sizeof(refused->text), "%s%s%s",
		 file ? file : "", file ? ": " : "", text);
}
