/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "serve/service_socket.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static int ends[2];

static void set_up(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
}

static void tear_down(void)
{
	close(ends[0]);
	close(ends[1]);
}

static ino_t file_of(int fd)
{
	struct stat stat;

	ck_assert_int_eq(fstat(fd, &stat), 0);
	return stat.st_ino;
}

START_TEST(a_message_comes_with_its_descriptors)
{
	int sent[2] = { ends[0], open("/dev/null", O_RDONLY) };
	int got[MESSAGE_DESCRIPTORS];
	char text[8];
	size_t count;

	ck_assert_int_eq(message_send(ends[0], "hello", 6, sent, 2), 0);
	ck_assert_int_eq(
		message_receive(ends[1], text, sizeof(text), got, &count), 6);
	ck_assert_str_eq(text, "hello");
	ck_assert_uint_eq(count, 2);
	for (size_t i = 0; i < count; i++) {
		ck_assert_uint_eq(file_of(got[i]), file_of(sent[i]));
		ck_assert_int_eq(fcntl(got[i], F_GETFD), FD_CLOEXEC);
		close(got[i]);
	}
	close(sent[1]);
}
END_TEST

START_TEST(a_message_comes_without)
{
	int got[MESSAGE_DESCRIPTORS];
	char text[8];
	size_t count = 9;

	ck_assert_int_eq(message_send(ends[0], "hello", 6, NULL, 0), 0);
	ck_assert_int_eq(
		message_receive(ends[1], text, sizeof(text), got, &count), 6);
	ck_assert_uint_eq(count, 0);
}
END_TEST

/* Returns the lowest free descriptor, which shows that none leaked. */
static int next_fd(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

START_TEST(a_message_that_is_too_long_leaves_nothing)
{
	int got[MESSAGE_DESCRIPTORS];
	int before = next_fd();
	char text[4];
	size_t count;

	ck_assert_int_eq(message_send(ends[0], "hello", 6, ends, 2), 0);
	ck_assert_int_eq(message_receive(ends[1], text, sizeof(text), got,
					 &count),
			 -ERROR_FORMAT);
	ck_assert_uint_eq(count, 0);
	ck_assert_int_eq(next_fd(), before);
}
END_TEST

START_TEST(a_closed_other_end_is_an_end)
{
	int got[MESSAGE_DESCRIPTORS];
	char text[8];
	size_t count;

	close(ends[1]);
	ck_assert_int_eq(
		message_receive(ends[0], text, sizeof(text), got, &count), 0);
	ck_assert_int_eq(message_send(ends[0], "hello", 6, NULL, 0),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(errno, EPIPE);
	ends[1] = dup(0);
}
END_TEST

SUITE("message_socket")
{
	FIXTURE(set_up, tear_down);
	TEST(a_message_comes_with_its_descriptors);
	TEST(a_message_comes_without);
	TEST(a_message_that_is_too_long_leaves_nothing);
	TEST(a_closed_other_end_is_an_end);
}
