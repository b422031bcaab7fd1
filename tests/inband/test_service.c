/* SPDX-License-Identifier: MIT */
#include "collector/thread_events/thread_events.h"
#include "common/error.h"
#include "common/log.h"
#include "inband/service_internal.h"
#include "serve/service_socket.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* The test's own service, which answers as each case needs. */
enum { WAIT_MS = 200, SERVED_MS = 5000, CPUS = 70 };

static struct scratch_folder folder;
static char path[96];
static int listening;
static pthread_t thread;
static void (*answer)(int socket);
static struct thread_events events;
static struct service service;
static char said[LOG_FIXTURE_TEXT];

static const struct log log_said = { log_fixture_keep, said };

static void set_up(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	folder = scratch_folder_new();
	scratch_folder_path(&folder, "socket", path, sizeof(path));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	listening = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	ck_assert_int_eq(
		bind(listening, (const void *)&address, sizeof(address)), 0);
	ck_assert_int_eq(listen(listening, 1), 0);
	events = (struct thread_events){
		.tid = 7,
		.events = event_list_new(),
		.thread = target_new(),
		.cpus = target_new(),
		.tracer = &intel_pt_tracer,
		.trace_fd = -1,
		.cpu_rings = ARRAY_OF(struct ring),
	};
	service = SERVICE_NONE;
	said[0] = '\0';
}

static void tear_down(void)
{
	service_close(&service);
	thread_events_close(&events);
	close(listening);
	scratch_folder_free(&folder);
}

static void *serve(void *nothing)
{
	struct serve_trace request;
	int socket = accept(listening, NULL, NULL);

	(void)nothing;
	ck_assert_int_eq(recv(socket, &request, sizeof(request), 0),
			 sizeof(request));
	ck_assert_int_eq(request.tid, 7);
	ck_assert_uint_eq(request.buffer_bytes, 1 << 20);
	answer(socket);
	close(socket);
	return NULL;
}

/* Queries a service that answers with @answers. */
static int ask(void (*answers)(int socket), int wait_ms)
{
	int error;

	answer = answers;
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	error = service_open(&service, path, wait_ms, &events, 1 << 20,
			     &log_said);
	pthread_join(thread, NULL);
	return error;
}

static void say(int socket, const void *message, size_t size, size_t fd_count)
{
	int fds[MESSAGE_DESCRIPTORS];

	for (size_t i = 0; i < fd_count; i++)
		fds[i] = 0; /* any will do */
	message_send(socket, message, size, fds, fd_count);
}

static void say_kernel(int socket)
{
	const struct serve_head head = serve_head_of(SERVE_KERNEL);

	say(socket, &head, sizeof(head), SERVE_FILES);
}

static void say_events(int socket, enum serve_role role, uint32_t first,
		       uint32_t count)
{
	struct serve_events message = {
		.head = serve_head_of(SERVE_EVENTS),
		.role = role,
		.count = count,
	};

	for (uint32_t i = 0; i < count; i++)
		message.places[i] = (struct serve_place){
			.cpu = (int32_t)(first + i),
			.thread = -1,
			.id = 1000 * role + first + i,
		};
	say(socket, &message, serve_events_size(&message),
	    serve_role_stays(role) ? 0 : count);
}

static void say_of_cpus(int socket, enum serve_role role)
{
	say_events(socket, role, 0, SERVE_PLACES);
	say_events(socket, role, SERVE_PLACES, CPUS - SERVE_PLACES);
}

static void say_all(int socket)
{
	say_kernel(socket);
	say_of_cpus(socket, SERVE_CODE);
	say_of_cpus(socket, SERVE_WAKEUPS);
	say_events(socket, SERVE_THREAD, 0, 1);
}

static void say_all_with_patches(int socket)
{
	say_kernel(socket);
	say_of_cpus(socket, SERVE_CODE);
	say_of_cpus(socket, SERVE_WAKEUPS);
	say_of_cpus(socket, SERVE_PATCHES);
	say_events(socket, SERVE_THREAD, 0, 1);
}

START_TEST(all_of_its_messages_are_consumed)
{
	const struct event *list;

	ck_assert_int_eq(ask(say_all, SERVED_MS), 0);
	list = events.events.events.items;
	ck_assert_uint_eq(events.events.specs.count, 3);
	ck_assert_uint_eq(events.events.events.count, 2 * CPUS + 1);
	for (size_t i = 0; i < 2 * CPUS; i++) {
		ck_assert_int_eq(list[i].cpu, i % CPUS);
		ck_assert_uint_eq(list[i].spec, i / CPUS);
		ck_assert_uint_eq(list[i].id, 1000 * (i / CPUS) + i % CPUS);
		ck_assert_int_eq(list[i].fd >= 0, i < CPUS);
	}
	ck_assert_uint_eq(events.trace_spec, 2);
	ck_assert_int_ge(list[2 * CPUS].fd, 0);
	for (size_t i = 0; i < SERVE_FILES; i++)
		ck_assert_int_ge(service.files[i], 0);
	/* The service has closed the connection meanwhile. */
	ck_assert(service_has_ended(&service));
}
END_TEST

START_TEST(patches_are_applied_where_they_are_reported)
{
	ck_assert_int_eq(ask(say_all_with_patches, SERVED_MS), 0);
	ck_assert_uint_eq(events.events.specs.count, 4);
	ck_assert_uint_eq(events.events.events.count, 3 * CPUS + 1);
	ck_assert_uint_eq(events.trace_spec, 3);
	ck_assert(thread_events_is_patch(&events, 1000 * SERVE_PATCHES));
	ck_assert(!thread_events_is_patch(&events, 1000 * SERVE_WAKEUPS));
	ck_assert(!thread_events_is_patch(&events, 7));
}
END_TEST

static void refuse(int socket)
{
	struct serve_refused refused = {
		.head = serve_head_of(SERVE_REFUSED),
		.cause = EBUSY,
		.text = "there is none left",
	};

	say(socket, &refused, sizeof(refused), 0);
}

START_TEST(its_refusal_is_reported)
{
	ck_assert_int_eq(ask(refuse, SERVED_MS), -ERROR_SYSTEM);
	ck_assert_int_eq(errno, EBUSY);
	ck_assert_ptr_nonnull(strstr(said, "there is none left"));
}
END_TEST

static void say_nothing(int socket)
{
	char byte;

	/* Until the other end has had enough. */
	recv(socket, &byte, 1, 0);
}

START_TEST(one_that_does_not_answer_is_not_waited_for)
{
	answer = say_nothing;
	ck_assert_int_eq(pthread_create(&thread, NULL, serve, NULL), 0);
	ck_assert_int_eq(service_open(&service, path, WAIT_MS, &events, 1 << 20,
				      &log_said),
			 -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "does not answer in time"));
	service_close(&service);
	pthread_join(thread, NULL);
}
END_TEST

static void go(int socket)
{
	(void)socket;
}

static void stop_in_the_middle(int socket)
{
	say_kernel(socket);
	say_events(socket, SERVE_CODE, 0, 2);
}

static void (*const leavers[])(int socket) = { go, stop_in_the_middle };

START_TEST(one_that_goes_is_an_error)
{
	ck_assert_int_eq(ask(leavers[_i], SERVED_MS), -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(
		strstr(said, "the service's answer cannot be received"));
}
END_TEST

static void say_of_tomorrow(int socket)
{
	struct serve_head head = serve_head_of(SERVE_KERNEL);

	head.version++;
	say(socket, &head, sizeof(head), SERVE_FILES);
}

START_TEST(another_version_is_reported)
{
	ck_assert_int_eq(ask(say_of_tomorrow, SERVED_MS), -ERROR_UNSUPPORTED);
	ck_assert_ptr_nonnull(strstr(said, "another version"));
}
END_TEST

static void say_nonsense(int socket)
{
	say(socket, "nonsense", 8, 3);
}

static void say_events_first(int socket)
{
	say_events(socket, SERVE_CODE, 0, 2);
}

static void say_kernel_twice(int socket)
{
	say_kernel(socket);
	say_kernel(socket);
}

static void skip_a_role(int socket)
{
	say_kernel(socket);
	say_events(socket, SERVE_WAKEUPS, 0, 2);
}

static void go_back(int socket)
{
	say_kernel(socket);
	say_events(socket, SERVE_CODE, 0, 2);
	say_events(socket, SERVE_WAKEUPS, 0, 2);
	say_events(socket, SERVE_CODE, 2, 2);
}

static void say_patches_too_early(int socket)
{
	say_kernel(socket);
	say_events(socket, SERVE_CODE, 0, 2);
	say_events(socket, SERVE_PATCHES, 0, 2);
}

static void (*const liars[])(int socket) = {
	say_nonsense, say_events_first, say_kernel_twice,
	skip_a_role,  go_back,		say_patches_too_early,
};

/* Returns the lowest free descriptor, which shows that none leaked. */
static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

START_TEST(messages_out_of_order_are_an_error_and_leave_nothing)
{
	int before = next_fd();

	ck_assert_int_eq(ask(liars[_i], SERVED_MS), -ERROR_FORMAT);
	ck_assert_str_ne(said, "");
	service_close(&service);
	thread_events_close(&events);
	ck_assert_int_eq(next_fd(), before);
	events.events = event_list_new();
}
END_TEST

START_TEST(a_missing_service_is_reported)
{
	close(listening);
	listening = -1;
	ck_assert_int_eq(service_open(&service, path, WAIT_MS, &events, 1 << 20,
				      &log_said),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, ECONNREFUSED);
	ck_assert_ptr_nonnull(strstr(said, "cannot be reached"));
}
END_TEST

SUITE("service")
{
	FIXTURE(set_up, tear_down);
	TEST(patches_are_applied_where_they_are_reported);
	TEST(all_of_its_messages_are_consumed);
	TEST(its_refusal_is_reported);
	TEST(one_that_does_not_answer_is_not_waited_for);
	TEST_EACH(one_that_goes_is_an_error, leavers);
	TEST(another_version_is_reported);
	TEST_EACH(messages_out_of_order_are_an_error_and_leave_nothing, liars);
	TEST(a_missing_service_is_reported);
}
