/* SPDX-License-Identifier: MIT */
#include "serve/client_list_internal.h"
#include "serve/service_socket.h"
#include "tests/run_suite.h"

#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static struct held_descriptors held;
static int passed;
static int ends[2];

static void set_up(void)
{
	ck_assert_int_eq(held_descriptors_open(&held), 0);
	passed = eventfd(0, 0);
	ck_assert_int_ge(passed, 0);
	ck_assert_int_eq(held_descriptors_add(&held, passed), 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
}

static void tear_down(void)
{
	held_descriptors_close(&held);
	close(ends[0]);
	if (ends[1] >= 0)
		close(ends[1]);
}

START_TEST(its_own_descriptor_counts)
{
	ck_assert(held_descriptors_any(&held));
	close(passed);
	ck_assert(!held_descriptors_any(&held));
}
END_TEST

START_TEST(a_duplicate_counts_until_it_is_closed)
{
	int copy = dup(passed);

	close(passed);
	ck_assert(held_descriptors_any(&held));
	close(copy);
	ck_assert(!held_descriptors_any(&held));
}
END_TEST

/* The message may be received long after the sender has closed its own. */
START_TEST(an_unreceived_message_counts)
{
	ck_assert_int_eq(message_send(ends[0], "x", 1, &passed, 1), 0);
	close(passed);
	ck_assert(held_descriptors_any(&held));
	close(ends[1]);
	ends[1] = -1;
	ck_assert(!held_descriptors_any(&held));
}
END_TEST

START_TEST(another_process_counts_until_it_ends)
{
	pid_t child = fork();
	int status;

	if (!child) {
		pause();
		_exit(0);
	}
	ck_assert_int_gt(child, 0);
	close(passed);
	ck_assert(held_descriptors_any(&held));
	kill(child, SIGKILL);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(!held_descriptors_any(&held));
}
END_TEST

START_TEST(one_of_many_is_enough)
{
	enum { OTHERS = 200 };
	int others[OTHERS];

	for (int i = 0; i < OTHERS; i++) {
		others[i] = eventfd(0, 0);
		ck_assert_int_eq(held_descriptors_add(&held, others[i]), 0);
	}
	close(passed);
	for (int i = 0; i < OTHERS; i++) {
		ck_assert(held_descriptors_any(&held));
		close(others[i]);
	}
	ck_assert(!held_descriptors_any(&held));
}
END_TEST

START_TEST(without_any_none_is_held)
{
	const struct held_descriptors none = HELD_DESCRIPTORS_NONE;

	ck_assert(!held_descriptors_any(&none));
	close(passed);
}
END_TEST

SUITE("held_descriptors")
{
	FIXTURE(set_up, tear_down);
	TEST(its_own_descriptor_counts);
	TEST(a_duplicate_counts_until_it_is_closed);
	TEST(an_unreceived_message_counts);
	TEST(another_process_counts_until_it_ends);
	TEST(one_of_many_is_enough);
	TEST(without_any_none_is_held);
}
