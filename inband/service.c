/* SPDX-License-Identifier: MIT */
#include "collector/thread_events/thread_events.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "inband/service_internal.h"
#include "serve/service_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

const char *service_path(void)
{
	const char *path = secure_getenv("KTRACE_HW_SOCKET");

	return path && *path ? path : SERVE_SOCKET;
}

/* A request in progress. */
struct asking {
	struct service *service;
	struct thread_events *events;
	const char *path;
	const struct log *log;
};

static int fail_system(const struct asking *asking, const char *what)
{
	int cause = errno;
	const char *reason = cause == EAGAIN ? "it does not answer in time" :
			     cause == EACCES ? "this user is not in its group" :
					       strerror(cause);

	log_message(asking->log, LOG_ERROR, asking->path, LOG_NO_OFFSET,
		    "%s: %s", what, reason);
	errno = cause;
	return -ERROR_SYSTEM;
}

static int fail(const struct asking *asking, int error, const char *reason)
{
	log_message(asking->log, LOG_ERROR, asking->path, LOG_NO_OFFSET, "%s",
		    reason);
	return error;
}

/* Sets the time limit of the connection. The send timeout also applies to
 * connecting.
 */
static int limit_waiting(int socket, int wait_ms)
{
	const struct timeval time = { wait_ms / 1000, wait_ms % 1000 * 1000 };

	return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time,
			  sizeof(time)) ||
			       setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO,
					  &time, sizeof(time)) ?
		       -ERROR_SYSTEM :
		       0;
}

static int connect_to(const struct asking *asking, int wait_ms)
{
	struct sockaddr_un address;
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	asking->service->socket = fd;
	if (!service_address(asking->path, &address))
		return fail(asking, -ERROR_UNSUPPORTED,
			    "is too long a path for a socket");
	if (fd < 0 || limit_waiting(fd, wait_ms) ||
	    connect(fd, (const void *)&address, sizeof(address)))
		return fail_system(asking, "the service cannot be reached");
	return 0;
}

/* Logs the service's reason, and sets errno to the service's value. */
static int hear_refusal(const struct asking *asking,
			const struct serve_refused *refused)
{
	errno = refused->cause;
	log_message(asking->log, LOG_ERROR, asking->path, LOG_NO_OFFSET,
		    "the service refuses: %s", refused->text);
	errno = refused->cause;
	return -ERROR_SYSTEM;
}

static int check(const struct asking *asking, union serve_reply *reply,
		 int size, size_t descriptors)
{
	int error = serve_reply_check(reply, (size_t)size, descriptors);

	if (error == -ERROR_UNSUPPORTED)
		return fail(asking, error,
			    "the service is of another version than the "
			    "library: install both from one package");
	return error ? fail(asking, error, "the service's answer is unknown") :
		       0;
}

/* Receives one message of @kind; the caller then owns its descriptors. */
static int hear(const struct asking *asking, enum serve_kind kind,
		union serve_reply *reply, int fds[MESSAGE_DESCRIPTORS])
{
	size_t count;
	int size = message_receive(asking->service->socket, reply,
				   sizeof(*reply), fds, &count);
	int error = size < 0 ? size : 0;

	if (size == 0) {
		errno = ECONNRESET;
		error = -ERROR_SYSTEM;
	}
	if (error == -ERROR_SYSTEM)
		return fail_system(asking, "the service's answer cannot be "
					   "received");
	if (!error)
		error = check(asking, reply, size, count);
	if (!error && reply->head.kind == SERVE_REFUSED)
		error = hear_refusal(asking, &reply->refused);
	else if (!error && reply->head.kind != kind)
		error = fail(asking, -ERROR_FORMAT,
			     "the service's answers are out of order");
	while (error && count)
		close(fds[--count]);
	return error;
}

static int add_places(struct event_list *list, size_t spec,
		      const struct serve_events *message, const int *fds)
{
	for (size_t i = 0; i < message->count; i++) {
		struct event *event = array_add(&list->events);

		if (!event)
			return -ERROR_MEMORY;
		*event = (struct event){
			.fd = fds ? fds[i] : -1,
			.spec = spec,
			.cpu = message->places[i].cpu,
			.thread = message->places[i].thread,
			.id = message->places[i].id,
		};
	}
	return 0;
}

static struct event_spec spec_of(const struct serve_events *message,
				 const struct tracer *tracer)
{
	struct event_spec spec;

	switch ((enum serve_role)message->role) {
	case SERVE_CODE:
	case SERVE_ROLES:
		spec = event_spec_text_poke();
		break;
	case SERVE_WAKEUPS:
		spec = event_spec_tracepoint("sched:sched_waking", 0,
					     EVENT_OF_CPUS);
		break;
	case SERVE_PATCHES:
		spec = event_spec_text_poke_breakpoint(0);
		break;
	case SERVE_THREAD:
		spec = event_spec_trace(tracer->pmu_name, false, false, 0);
		break;
	}
	memcpy(&spec.attr, message->attr, sizeof(message->attr));
	return spec;
}

/* Adds the events of @message, and their spec if it is the first message of its
 * role. Messages arrive in the order of roles; those of SERVE_PATCHES may be
 * missing.
 */
static int add_events(struct thread_events *events,
		      const struct serve_events *message, const int *fds)
{
	bool is_trace = message->role == SERVE_THREAD;
	size_t spec = message->role - (is_trace && !events->patch_spec);
	struct event_list *list = &events->events;
	int error = 0;

	if (spec == list->specs.count)
		error = event_list_add(list, spec_of(message, events->tracer));
	else if (spec + 1 != list->specs.count ||
		 list->events.count > 3 * BUDGET_CPUS)
		error = -ERROR_FORMAT;
	if (is_trace)
		events->trace_spec = spec;
	else if (message->role == SERVE_PATCHES)
		events->patch_spec = spec;
	return error < 0 ? error : add_places(list, spec, message, fds);
}

/* Adds the events of @message with their descriptors @fds to the list; closes
 * the descriptors that were not added.
 */
static int consume_events(const struct asking *asking,
			  const struct serve_events *message, const int *fds)
{
	const struct event_list *list = &asking->events->events;
	bool has_fds = !serve_role_stays(message->role);
	size_t before = list->events.count;
	int error = add_events(asking->events, message, has_fds ? fds : NULL);

	for (size_t i = list->events.count - before;
	     has_fds && i < message->count; i++)
		close(fds[i]);
	return error ? fail(asking, error,
			    "the service's events cannot be received") :
		       0;
}

/* Receives all messages of the service, the files first. */
static int hear_all(const struct asking *asking)
{
	int fds[MESSAGE_DESCRIPTORS];
	union serve_reply reply;
	int error = hear(asking, SERVE_KERNEL, &reply, fds);
	bool is_whole = false;

	if (!error)
		memcpy(asking->service->files, fds,
		       sizeof(asking->service->files));
	while (!error && !is_whole) {
		error = hear(asking, SERVE_EVENTS, &reply, fds);
		if (!error)
			error = consume_events(asking, &reply.events, fds);
		is_whole = !error && reply.events.role == SERVE_THREAD;
	}
	return error;
}

int service_open(struct service *service, const char *path, int wait_ms,
		 struct thread_events *events, size_t buffer_bytes,
		 const struct log *log)
{
	const struct asking asking = { service, events, path, log };
	const struct serve_trace request = {
		.head = serve_head_of(SERVE_TRACE),
		.tid = events->tid,
		.buffer_bytes = buffer_bytes,
	};
	int error;

	*service = SERVICE_NONE;
	error = connect_to(&asking, wait_ms);
	if (!error &&
	    message_send(service->socket, &request, sizeof(request), NULL, 0))
		error = fail_system(&asking, "the service cannot be reached");
	return error ? error : hear_all(&asking);
}

void service_close_files(struct service *service)
{
	for (size_t i = 0; i < SERVE_FILES; i++) {
		if (service->files[i] >= 0)
			close(service->files[i]);
		service->files[i] = -1;
	}
}

void service_close(struct service *service)
{
	service_close_files(service);
	if (service->socket >= 0)
		close(service->socket);
	service->socket = -1;
}

bool service_has_ended(const struct service *service)
{
	char byte;

	return service->socket >= 0 &&
	       (recv(service->socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0 ||
		errno != EAGAIN);
}
