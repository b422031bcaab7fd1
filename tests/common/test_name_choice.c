/* SPDX-License-Identifier: MIT */
#include "common/name_choice.h"
#include "tests/run_suite.h"

static const struct {
	const char *list;
	const char *name;
	bool has;
} cases[] = {
	{ "vfs_read", "vfs_read", true },
	{ "vfs_read", "vfs_readv", false },
	{ "read,vfs_*", "vfs_readv", true },
	{ "read,vfs_*", "kvfs_read", false },
	{ "vfs_[rw]*", "vfs_write", true },
	{ "operator[]", "operator[]", true },
	{ "/^tcp_(send|recv)/", "tcp_recvmsg", true },
	{ "/^tcp_(send|recv)/", "xtcp_recvmsg", false },
	{ "/^.{2,3}$/,none", "abc", true },
	{ "/^.{2,3}$/,none", "none", true },
	{ "/^.{2,3}$/,none", "abcd", false },
	{ "map<int, bool>", "map<int, bool>", true },
	{ "map<int, bool>::at,main", "map<int, bool>::at", true },
	{ "map<int, bool>::at,main", "main", true },
	{ "operator<,main", "main", true },
	{ "operator<,main", "operator<", true },
	{ "operator->,main", "operator->", true },
	{ "f<fn() -> A, B>::x,main", "f<fn() -> A, B>::x", true },
	{ "f<fn() -> A, B>::x,main", "main", true },
	{ "a(,b", "b", true },
	{ "/", "/", true },
	{ "/dev", "/dev", true },
};

START_TEST(a_word_is_a_name_a_pattern_or_an_expression)
{
	struct name_choice choice = NAME_CHOICE_NONE;

	ck_assert(!name_choice_has(&choice, cases[_i].name));
	ck_assert(name_choice_add(&choice, cases[_i].list));
	ck_assert(name_choice_is_made(&choice));
	ck_assert_int_eq(name_choice_has(&choice, cases[_i].name),
			 cases[_i].has);
	name_choice_free(&choice);
}
END_TEST

static const char *const bad_lists[] = {
	"", "a,", ",a", "/(/", "/a/b", "a,/[/"
};

START_TEST(malformed_names_are_refused)
{
	struct name_choice choice = NAME_CHOICE_NONE;

	ck_assert(!name_choice_add(&choice, bad_lists[_i]));
	name_choice_free(&choice);
}
END_TEST

START_TEST(lists_add_up)
{
	struct name_choice choice = NAME_CHOICE_NONE;

	ck_assert(name_choice_add(&choice, "one"));
	ck_assert(name_choice_add(&choice, "t*"));
	ck_assert(name_choice_has(&choice, "one"));
	ck_assert(name_choice_has(&choice, "two"));
	ck_assert_str_eq(name_choice_first(&choice), "one");
	name_choice_free(&choice);
}
END_TEST

SUITE("name_choice")
{
	TEST_EACH(a_word_is_a_name_a_pattern_or_an_expression, cases);
	TEST_EACH(malformed_names_are_refused, bad_lists);
	TEST(lists_add_up);
}
