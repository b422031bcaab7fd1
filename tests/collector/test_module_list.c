/* SPDX-License-Identifier: MIT */
#include "collector/kernel_code/modules.h"
#include "common/array.h"
#include "tests/run_suite.h"

START_TEST(test_order)
{
	static const char text[] =
		"overlay 217088 1 - Live 0xffffffffc02d1000\n"
		"loading 4096 1 - Loading 0x0000000000000000\n"
		"9pnet 114688 2 9p,9pnet_virtio, Live 0xffffffffc0291000 (O)\n";
	struct array modules = ARRAY_OF(struct module);
	const struct module *items;

	ck_assert_int_eq(module_list_parse(text, &modules), 0);
	ck_assert_uint_eq(modules.count, 2);
	items = modules.items;
	ck_assert_str_eq(items[0].name, "9pnet");
	ck_assert_uint_eq(items[0].address, 0xffffffffc0291000);
	ck_assert_uint_eq(items[0].size_bytes, 114688);
	ck_assert_str_eq(items[1].name, "overlay");
	array_free(&modules);
}
END_TEST

START_TEST(test_nothing)
{
	struct array modules = ARRAY_OF(struct module);

	ck_assert_int_eq(module_list_parse("", &modules), 0);
	ck_assert_int_eq(module_list_parse("garbage\n\nx 1", &modules), 0);
	ck_assert_uint_eq(modules.count, 0);
	array_free(&modules);
}
END_TEST

SUITE("module_list")
{
	TEST(test_order);
	TEST(test_nothing);
}
