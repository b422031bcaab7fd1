/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests saving a guest's state with a fake QEMU that answers or does not. */
#include "machine/attach/saving.h"
#include "tests/run_suite.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct saving saving;
static int qemu; /* the fake QEMU's end of the monitor */
static int monitor;
static char path[64];

static void set_up(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	qemu = pair[0];
	monitor = pair[1];
	fcntl(qemu, F_SETFL, O_NONBLOCK);
	fcntl(monitor, F_SETFL, O_NONBLOCK);
	strcpy(path, "/tmp/test_attach_saving.XXXXXX");
	close(mkstemp(path));
	unlink(path);
}

static void say(const char *text)
{
	ck_assert_int_eq(write(qemu, text, strlen(text)), strlen(text));
}

static void assert_asked(const char *start)
{
	char asked[8192];
	ssize_t size = read(qemu, asked, sizeof(asked) - 1);

	ck_assert_int_gt(size, 0);
	asked[size] = '\0';
	ck_assert_msg(!strncmp(asked, start, strlen(start)), "asked: %s",
		      asked);
}

static void begin(void)
{
	say("QEMU 11.1 monitor - type 'help'\r\n(qemu) ");
	ck_assert_int_eq(saving_start(&saving, monitor, path), 0);
	assert_asked("stop\n");
}

/* Acts as QEMU, which writes the requested file. */
static void write_draft(void)
{
	close(open(saving.draft, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static void stop_and_write(void)
{
	begin();
	say("stop\r\n");
	ck_assert(!saving_go_on(&saving));
	say("(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("migrate file:/tmp/test_attach_saving.");
	write_draft();
}

static void assert_goes_on(void)
{
	ck_assert(saving_go_on(&saving));
	assert_asked("cont\n");
	ck_assert(!saving_is_busy(&saving));
	ck_assert_int_ne(access(saving.draft, F_OK), 0);
}

START_TEST(the_guest_goes_on_when_its_state_is_whole)
{
	stop_and_write();
	say("migrate file:...\r\n(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("info status\n");
	say("VM status: paused (postmigrate)\r\n(qemu) ");
	assert_goes_on();
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

/* Before the migration has ended, QEMU would refuse "cont", and the guest would
 * stay stopped.
 */
START_TEST(the_guest_waits_for_the_end_of_the_migration)
{
	stop_and_write();
	say("(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("info status\n");
	say("VM status: paused (finish-migrate)\r\n(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("info status\n");
	ck_assert_int_ne(access(path, F_OK), 0);
	say("VM status: paused (postmigrate)\r\n(qemu) ");
	assert_goes_on();
	ck_assert_int_eq(unlink(path), 0);
}
END_TEST

START_TEST(an_error_leaves_no_file)
{
	stop_and_write();
	say("Error: No space left on device\r\n(qemu) ");
	assert_goes_on();
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

/* QEMU prints the reason to its own messages, not to the monitor. */
START_TEST(a_failed_migration_leaves_no_file)
{
	stop_and_write();
	say("(qemu) ");
	ck_assert(!saving_go_on(&saving));
	say("VM status: paused\r\n(qemu) ");
	assert_asked("info status\n");
	assert_goes_on();
	ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(a_loaded_guest_gets_its_settings_first)
{
	ck_assert_int_eq(saving_resume(&saving, monitor), 0);
	assert_asked("info status\n");
	say("VM status: paused (inmigrate)\r\n(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("info status\n");
	say("VM status: paused\r\n(qemu) ");
	ck_assert(!saving_go_on(&saving));
	assert_asked("cont\n");
	ck_assert(!saving_is_busy(&saving));
}
END_TEST

SUITE("attach_saving")
{
	FIXTURE(set_up, NULL);
	TEST(the_guest_goes_on_when_its_state_is_whole);
	TEST(the_guest_waits_for_the_end_of_the_migration);
	TEST(an_error_leaves_no_file);
	TEST(a_failed_migration_leaves_no_file);
	TEST(a_loaded_guest_gets_its_settings_first);
}
