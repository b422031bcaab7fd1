/* SPDX-License-Identifier: MIT */
#include "report/text/user_mark.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

static const struct {
	struct function function;
	const char *mark;
} marks[] = {
	{ { .base = "vfs_read", .module = "", .space = 'k' }, "" },
	{ { .base = "main", .module = "/bin/a", .space = 'u' }, "  [u]" },
	{ { .base = "_PyEval_EvalFrameDefault",
	    .module = "/usr/bin/python3.11",
	    .space = 'u' },
	  "  [u, interpreter of Python]" },
	{ { .base = "rb_vm_exec",
	    .module = "/usr/lib/libruby-3.1.so",
	    .space = 'u' },
	  "  [u, interpreter of Ruby]" },
	{ { .base = "Interpreter", .module = "[generated code]", .space = 'u' },
	  "  [u, interpreter of Java]" },
	{ { .base = "Interpreter", .module = "/usr/bin/node", .space = 'u' },
	  "  [u]" },
	/* No kernel function is an interpreter of programs. */
	{ { .base = "execute_ex", .module = "", .space = 'k' }, "" },
};

START_TEST(programs_and_interpreters_are_marked)
{
	ck_assert_str_eq(user_mark(&marks[_i].function), marks[_i].mark);
}
END_TEST

SUITE("user_mark")
{
	TEST_EACH(programs_and_interpreters_are_marked, marks);
}
