/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tests/run_suite.h"

#include <string.h>

static struct function_table *functions;
static struct context_kinds *kinds;

static void set_up(void)
{
	functions = function_table_new();
	ck_assert_ptr_nonnull(functions);
}

static void tear_down(void)
{
	context_kinds_free(kinds);
	kinds = NULL;
	function_table_free(functions);
}

static uint32_t add(const char *name, char space)
{
	const char *module = function_table_module(functions, "", 0);
	uint32_t number = function_table_add(functions, name, strlen(name),
					     module, space);

	ck_assert_uint_ne(number, FUNCTION_NONE);
	return number;
}

static const struct {
	const struct arch *arch;
	const char *name;
	enum context_kind kind;
} cases[] = {
	{ &arch_x86_64, "do_syscall_64", CONTEXT_SYSTEM_CALL },
	{ &arch_x86_64, "asm_exc_page_fault", CONTEXT_FAULT },
	{ &arch_x86_64, "vfs_read", CONTEXT_NONE },
	{ &arch_arm64, "do_syscall_64", CONTEXT_NONE },
	{ &arch_x86_64, "__schedule", CONTEXT_SCHEDULE },
	{ &arch_arm64, "__schedule", CONTEXT_SCHEDULE },
	{ &arch_arm64, "perf_event_exec", CONTEXT_TRACER },
};

START_TEST(the_name_and_the_architecture_decide)
{
	uint32_t number = add(cases[_i].name, 'k');

	kinds = context_kinds_new(functions, cases[_i].arch);
	ck_assert_ptr_nonnull(kinds);
	ck_assert_int_eq(context_kind_of(kinds, number), cases[_i].kind);
	ck_assert(!context_kinds_is_user(kinds, number));
}
END_TEST

/* A program may have a function of the kernel's name. */
START_TEST(invariant_2_functions_of_user_space_start_no_context)
{
	uint32_t kernel = add("__schedule", 'k');
	uint32_t user = add("__schedule", 'u');

	kinds = context_kinds_new(functions, &arch_x86_64);
	ck_assert_ptr_nonnull(kinds);
	ck_assert_int_eq(context_kind_of(kinds, kernel), CONTEXT_SCHEDULE);
	ck_assert_int_eq(context_kind_of(kinds, user), CONTEXT_NONE);
	ck_assert(context_kinds_is_user(kinds, user));
}
END_TEST

/* Inlined functions are added while a trace is decoded. */
START_TEST(functions_added_later_start_no_context)
{
	uint32_t later;

	kinds = context_kinds_new(functions, &arch_x86_64);
	ck_assert_ptr_nonnull(kinds);
	later = add("__schedule", 'k');
	ck_assert_int_eq(context_kind_of(kinds, later), CONTEXT_NONE);
}
END_TEST

SUITE("context_kinds")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(the_name_and_the_architecture_decide, cases);
	TEST(invariant_2_functions_of_user_space_start_no_context);
	TEST(functions_added_later_start_no_context);
}
