/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "symbolize/symbols/variables.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PID = 7 };

/* Variables of this program, which is the recorded one. */
static volatile int filled[64] = { 1 };
static volatile int zeroed[1 << 16];

static const char kallsyms[] = "0000000000001000 A per_cpu_data\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff82000000 d rtnl_mutex\n"
			       "ffffffff82000040 D other_mutex\n"
			       "ffffffff82100000 b last\n"
			       "ffffffff82200000 B _end\n";

/* Maps this program's code as it is in memory. */
static void map_own_code(struct recording_fixture *fixture)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[PATH_MAX + 128];
	char path[PATH_MAX];
	uint64_t start, end, offset;
	char own[PATH_MAX];
	Dl_info found;

	/* /proc/self/exe may be the loader that was started with it. */
	ck_assert_int_ne(dladdr(kallsyms, &found), 0);
	ck_assert_ptr_nonnull(realpath(found.dli_fname, own));
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " r-xp %" SCNx64
			   " %*s %*s %s",
			   &start, &end, &offset, path) == 4 &&
		    !strcmp(path, own))
			recording_fixture_map(fixture, PID, own, start,
					      end - start, offset);
	fclose(maps);
}

static void write_kallsyms(const struct recording_fixture *fixture)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/kcore_dir", fixture->path);
	mkdir(path, 0700);
	snprintf(path, sizeof(path), "%s/kcore_dir/kallsyms", fixture->path);
	file = fopen(path, "we");
	ck_assert_ptr_nonnull(file);
	fputs(kallsyms, file);
	fclose(file);
}

static struct recording_fixture fixture;
static struct recording *recording;
static struct variables *variables;

static void set_up(void)
{
	recording_fixture_begin(&fixture);
	map_own_code(&fixture);
	recording_fixture_write(&fixture);
	write_kallsyms(&fixture);
	ck_assert_int_eq(recording_open(fixture.path, NULL, &recording), 0);
	variables = variables_new(recording);
	ck_assert_ptr_nonnull(variables);
}

static void tear_down(void)
{
	variables_free(variables);
	recording_close(recording);
	recording_fixture_end(&fixture);
}

static void expect(int32_t pid, uint64_t address, const char *name)
{
	char text[64] = "";

	ck_assert_int_eq(variables_find(variables, pid, address, text,
					sizeof(text)),
			 !!name);
	ck_assert_str_eq(text, name ? name : "");
}

START_TEST(programs_variables_have_names)
{
	void *allocated = malloc(100);
	int local = filled[0] + zeroed[0];

	expect(PID, (uintptr_t)&filled[0], "filled");
	expect(PID, (uintptr_t)&filled[3], "filled+0xc");
	expect(PID, (uintptr_t)&zeroed[0x1000], "zeroed+0x4000");
	expect(PID, (uintptr_t)allocated, NULL);
	expect(PID, (uintptr_t)&local, NULL);
	expect(PID, 0x10, NULL);
	expect(PID + 1, (uintptr_t)&filled[0], NULL);
	free(allocated);
}
END_TEST

START_TEST(the_kernels_variables_have_names)
{
	expect(VARIABLES_OF_KERNEL, 0xffffffff82000000, "rtnl_mutex");
	expect(VARIABLES_OF_KERNEL, 0xffffffff82000048, "other_mutex+0x8");
	expect(VARIABLES_OF_KERNEL, 0xffffffff82100010, "last+0x10");
	/* Code, allocated memory, and addresses too far from a variable. */
	expect(VARIABLES_OF_KERNEL, 0xffffffff81000010, NULL);
	expect(VARIABLES_OF_KERNEL, 0xffff888012345678, NULL);
	expect(VARIABLES_OF_KERNEL, 0xffffffff82180000, NULL);
	expect(VARIABLES_OF_KERNEL, 0xffffffff83000000, NULL);
}
END_TEST

SUITE("variables")
{
	FIXTURE(set_up, tear_down);
	TEST(programs_variables_have_names);
	TEST(the_kernels_variables_have_names);
}
