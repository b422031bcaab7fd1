/* SPDX-License-Identifier: MIT */
#include "collector/target/cpu_list.h"
#include "common/array.h"
#include "tests/run_suite.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The test sends the reports, through a socket of its own. */
static int pair[2];
static struct array cpus;

static void set_up(void)
{
	ck_assert_int_eq(
		socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair), 0);
	cpus = ARRAY_OF(int);
}

static void tear_down(void)
{
	close(pair[0]);
	close(pair[1]);
	array_free(&cpus);
}

static void report(const char *text, size_t size)
{
	ck_assert_int_eq(send(pair[1], text, size, 0), size);
}

static void read_all(void)
{
	bool is_lost;

	ck_assert_int_eq(cpu_reports_read(pair[0], &cpus, &is_lost), 0);
	ck_assert(!is_lost);
}

START_TEST(each_cpu_that_came_online_is_listed)
{
	static const char first[] =
		"online@/devices/system/cpu/cpu1\0ACTION=online\0SEQNUM=7";
	static const char second[] = "online@/devices/system/cpu/cpu128\0";

	report(first, sizeof(first));
	report(second, sizeof(second));
	report(first, sizeof(first));
	read_all();
	ck_assert_uint_eq(cpus.count, 3);
	ck_assert_int_eq(*(int *)array_at(&cpus, 0), 1);
	ck_assert_int_eq(*(int *)array_at(&cpus, 1), 128);
	ck_assert_int_eq(*(int *)array_at(&cpus, 2), 1);
	array_free(&cpus);
	read_all();
	ck_assert_uint_eq(cpus.count, 0);
}
END_TEST

static const char *const others[] = {
	"offline@/devices/system/cpu/cpu1",
	"online@/devices/system/memory/memory1",
	"online@/devices/system/cpu/cpu",
	"online@/devices/system/cpu/cpufreq",
	"online@/devices/system/cpu/cpu1/cache",
	"online@/devices/system/cpu/cpu-1",
	"online@/devices/system/cpu/cpu99999999999999999999",
	"",
};

START_TEST(other_reports_are_ignored)
{
	report(others[_i], strlen(others[_i]));
	read_all();
	ck_assert_uint_eq(cpus.count, 0);
}
END_TEST

START_TEST(without_a_descriptor_there_are_no_reports)
{
	bool is_lost = true;

	ck_assert_int_eq(cpu_reports_read(-1, &cpus, &is_lost), 0);
	ck_assert(!is_lost);
	ck_assert_uint_eq(cpus.count, 0);
}
END_TEST

SUITE("cpu_reports")
{
	FIXTURE(set_up, tear_down);
	TEST(each_cpu_that_came_online_is_listed);
	TEST_EACH(other_reports_are_ignored, others);
	TEST(without_a_descriptor_there_are_no_reports);
}
