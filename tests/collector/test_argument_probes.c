/* SPDX-License-Identifier: MIT */
#include "collector/trigger/argument_probes.h"
#include "tests/run_suite.h"

static const char *const valid[] = {
	"vfs_read",
	"vfs_read,vfs_write",
	"vfs_read(count)",
	"vfs_read(count,pos),do_exit",
	"block_files",
	"vfs_read,block_files,do_exit",
	"wait_objects,block_files",
	"f(name->name:string,+0(+0($arg2)):string,x=*pos)",
	"f.isra.0(__a.b[2])",
};

static const char *const wrong[] = {
	"",
	",",
	"vfs_read,",
	",vfs_read",
	"vfs_read,,vfs_write",
	"vfs_read()x",
	"vfs_read(count",
	"vfs_read)",
	"(count)",
	"vfs read",
	"vfs_read(count) ",
	"vfs_read(a b)",
	"vfs_read(a\nr:x/y z)",
	"vfs_read(a;b)",
	"vfs_read/x",
	"block_files,",
	"wait_objects,,vfs_read",
};

START_TEST(functions_with_and_without_arguments)
{
	ck_assert_ptr_null(argument_list_check(valid[_i]));
}
END_TEST

START_TEST(nothing_else_reaches_the_kernel)
{
	ck_assert_ptr_nonnull(argument_list_check(wrong[_i]));
}
END_TEST

SUITE("argument_probes")
{
	TEST_EACH(functions_with_and_without_arguments, valid);
	TEST_EACH(nothing_else_reaches_the_kernel, wrong);
}
