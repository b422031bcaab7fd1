/* SPDX-License-Identifier: MIT */
#include "symbolize/functions/function_name.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NULL: the symbol is not mangled, or too long. */
static const struct {
	const char *symbol;
	const char *name;
	const char *full;
	const char *base;
} cases[] = {
	{ "_ZNK4shop5Order4costIiEET_S2_", "shop::Order::cost<int>",
	  "int shop::Order::cost<int>(int) const", "cost" },
	{ "_Z3fooi", "foo", "foo(int)", "foo" },
	{ "_ZN12_GLOBAL__N_13fooEi", "(anonymous namespace)::foo",
	  "(anonymous namespace)::foo(int)", "foo" },
	{ "_ZN3FooC2Ev", "Foo::Foo", "Foo::Foo()", "Foo" },
	{ "_ZNSt6vectorIiSaIiEE9push_backERKi",
	  "std::vector<int, std::allocator<int> >::push_back",
	  "std::vector<int, std::allocator<int> >::push_back(int const&)",
	  "push_back" },
	{ "_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()",
	  "main::{lambda(int)#1}::operator()(int) const", "operator()" },
	{ "_Znwm", "operator new", "operator new(unsigned long)",
	  "operator new" },
	{ "_ZN4core3fmt5write17h01234567890abcdeE", "core::fmt::write",
	  "core::fmt::write", "write" },
	{ "_RNvCs1234_7mycrate3foo", "mycrate::foo", "mycrate::foo", "foo" },
	{ "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>",
	  "std::mem::align_of::<f64>", "align_of" },
	{ "_RNvMs_CsX_3fooNtB4_3Bar3baz", "<foo::Bar>::baz", "<foo::Bar>::baz",
	  "baz" },
	{ "_D3foo3barFiZv", "foo.bar", "foo.bar(int)", "foo.bar" },
	{ "main", NULL, NULL, NULL },
	{ "_start", NULL, NULL, NULL },
	{ "_Z", NULL, NULL, NULL },
	{ "", NULL, NULL, NULL },
};

static void expect(char *found, const char *wanted)
{
	if (wanted)
		ck_assert_str_eq(found ? found : "none", wanted);
	else
		ck_assert_ptr_null(found);
	free(found);
}

START_TEST(symbols_have_names)
{
	const char *name = cases[_i].name;
	struct demangled_base base;

	expect(demangle(cases[_i].symbol, false), name);
	expect(demangle(cases[_i].symbol, true), cases[_i].full);
	if (!name)
		return;
	base = demangled_base(name);
	ck_assert_uint_eq(base.length, strlen(cases[_i].base));
	ck_assert(!strncmp(name + base.start, cases[_i].base, base.length));
}
END_TEST

/* Each parameter refers twice to the type of the one before. */
START_TEST(names_that_explode_stay_mangled)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char symbol[512] = "_Z1fSt4pairIiiE";

	for (int i = 0; i < 36; i++) {
		char part[16];

		snprintf(part, sizeof(part), "S_IS%c_S%c_E", digits[i],
			 digits[i]);
		strcat(symbol, part);
	}
	ck_assert_ptr_null(demangle(symbol, true));
}
END_TEST

SUITE("demangle")
{
	TEST_EACH(symbols_have_names, cases);
	TEST(names_that_explode_stay_mangled);
}
