/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "common/log.h"
#include "serve/service_socket.h"
#include "tests/fixtures/log.h"
#include "tests/fixtures/scratch_folder.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static struct scratch_folder folder;
static char path[96];
static struct listening_socket listening;
static char said[LOG_FIXTURE_TEXT];

static const struct log log_said = { log_fixture_keep, said };

static void set_up(void)
{
	folder = scratch_folder_new();
	scratch_folder_path(&folder, "socket", path, sizeof(path));
	unsetenv("LISTEN_PID");
	said[0] = '\0';
}

static void tear_down(void)
{
	scratch_folder_free(&folder);
}

static int open_here(void)
{
	return listening_socket_open(&listening, path, getegid(), &log_said);
}

static int connect_to(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	int status;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	status = connect(fd, (const void *)&address, sizeof(address));
	close(fd);
	return status;
}

/* Anyone who can write to a folder can replace the socket in it. */
START_TEST(folders_of_others_are_refused)
{
	static const struct {
		mode_t folder;
		mode_t above;
		bool is_refused;
	} cases[] = {
		{ 0755, 0755, false },	{ 0700, 0755, false },
		{ 0775, 0755, true },	{ 0757, 0755, true },
		{ 01777, 0755, true },	{ 0755, 0777, true },
		{ 0755, 01777, false },
	};
	char inner[80];

	snprintf(inner, sizeof(inner), "%s/inner", folder.path);
	ck_assert_int_eq(mkdir(inner, 0700), 0);
	snprintf(path, sizeof(path), "%s/socket", inner);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		ck_assert_int_eq(chmod(inner, cases[i].folder), 0);
		ck_assert_int_eq(chmod(folder.path, cases[i].above), 0);
		said[0] = '\0';
		ck_assert_msg((open_here() != 0) == cases[i].is_refused, "%zu",
			      i);
		ck_assert_int_eq(!strstr(said, "others can write"),
				 !cases[i].is_refused);
		listening_socket_close(&listening);
	}
	ck_assert_int_eq(chmod(folder.path, 0700), 0);
}
END_TEST

START_TEST(it_is_the_groups_while_it_is_there)
{
	struct stat stat;

	ck_assert_int_eq(open_here(), 0);
	ck_assert_int_eq(lstat(path, &stat), 0);
	ck_assert(S_ISSOCK(stat.st_mode));
	ck_assert_uint_eq(stat.st_mode & 0777, 0660);
	ck_assert_uint_eq(stat.st_gid, getegid());
	ck_assert_int_eq(connect_to(), 0);
	listening_socket_close(&listening);
	ck_assert_int_eq(access(path, F_OK), -1);
}
END_TEST

START_TEST(one_that_was_left_is_replaced)
{
	ck_assert_int_eq(open_here(), 0);
	/* The socket is closed as when the service is killed. */
	close(listening.fd);
	ck_assert_int_eq(connect_to(), -1);
	ck_assert_int_eq(open_here(), 0);
	ck_assert_int_eq(connect_to(), 0);
	listening_socket_close(&listening);
}
END_TEST

START_TEST(one_that_is_used_is_left_alone)
{
	struct listening_socket other;

	ck_assert_int_eq(open_here(), 0);
	ck_assert_int_eq(listening_socket_open(&other, path, getegid(),
					       &log_said),
			 -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "another service listens there"));
	listening_socket_close(&other);
	ck_assert_int_eq(connect_to(), 0);
	listening_socket_close(&listening);
}
END_TEST

/* Without a descriptor, it is unknown whether the socket is in use. */
START_TEST(one_that_cannot_be_tried_is_reported_with_the_errno)
{
	struct listening_socket other;
	struct rlimit before;
	struct rlimit none;

	ck_assert_int_eq(open_here(), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
	ck_assert_int_eq(listening_socket_open(&other, path, getegid(),
					       &log_said),
			 -ERROR_SYSTEM);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_ptr_nonnull(strstr(said, strerror(EMFILE)));
	listening_socket_close(&listening);
}
END_TEST

START_TEST(a_file_is_left_alone)
{
	close(open(path, O_WRONLY | O_CREAT, 0600));
	ck_assert_int_eq(open_here(), -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "is no socket"));
	listening_socket_close(&listening);
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_path_that_is_too_long_is_reported)
{
	memset(path, 'x', sizeof(path) - 1);

	char longer[300];

	snprintf(longer, sizeof(longer), "/tmp/%s%s", path, path);
	ck_assert_int_eq(listening_socket_open(&listening, longer, getegid(),
					       &log_said),
			 -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "too long"));
	listening_socket_close(&listening);
}
END_TEST

/* This suite sets up the descriptor that systemd would pass. */
static void hand_over(int fd)
{
	char pid[16];

	ck_assert_int_eq(dup2(fd, 3), 3);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("LISTEN_PID", pid, 1);
	setenv("LISTEN_FDS", "1", 1);
}

START_TEST(systemds_is_taken_over)
{
	ck_assert_int_eq(open_here(), 0);
	hand_over(listening.fd);
	ck_assert_int_eq(listening_socket_open(&listening, "/nowhere",
					       getegid(), &log_said),
			 0);
	ck_assert_int_eq(listening.fd, 3);
	ck_assert_ptr_null(listening.path);
	listening_socket_close(&listening);
	/* systemd's socket stays. */
	ck_assert_int_eq(access(path, F_OK), 0);
}
END_TEST

START_TEST(another_kind_of_socket_is_reported)
{
	hand_over(socket(AF_UNIX, SOCK_STREAM, 0));
	ck_assert_int_eq(open_here(), -ERROR_SYSTEM);
	ck_assert_ptr_nonnull(strstr(said, "ListenSequentialPacket="));
	listening_socket_close(&listening);
}
END_TEST

SUITE("listening_socket")
{
	APART();
	FIXTURE(set_up, tear_down);
	TEST(folders_of_others_are_refused);
	TEST(it_is_the_groups_while_it_is_there);
	TEST(one_that_was_left_is_replaced);
	TEST(one_that_is_used_is_left_alone);
	TEST(one_that_cannot_be_tried_is_reported_with_the_errno);
	TEST(a_file_is_left_alone);
	TEST(a_path_that_is_too_long_is_reported);
	TEST(systemds_is_taken_over);
	TEST(another_kind_of_socket_is_reported);
}
