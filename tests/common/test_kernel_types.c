/* SPDX-License-Identifier: MIT */
/* Functions and members are found in types as the kernel has them. */
#include "common/formats/kernel_types.h"
#include "tests/run_suite.h"

#include <check.h>
#include <linux/btf.h>
#include <string.h>

/* The texts, and where each is. */
static const char texts[] = "\0sock_common\0family\0port\0pair\0bpf_iter_tcp\0";
enum {
	TEXT_NONE = 0,
	TEXT_STRUCT = 1,
	TEXT_FAMILY = 13,
	TEXT_PORT = 20,
	TEXT_PAIR = 25,
	TEXT_FUNCTION = 30,
};

enum { INT_TYPE = 1, ENUM_TYPE, UNION_TYPE, STRUCT_TYPE, FUNCTION_TYPE };

static uint32_t info_of(uint32_t kind, uint32_t count)
{
	return kind << 24 | count;
}

/* struct sock_common { int pair; union { int port; }; int family; } and a
 * function, after types of other sizes.
 */
struct made_types {
	struct btf_header header;
	struct btf_type integer;
	uint32_t integer_tail;
	struct btf_type enumeration;
	struct btf_enum values[2];
	struct btf_type anonymous;
	struct btf_member port;
	struct btf_type structure;
	struct btf_member members[3];
	struct btf_type function;
	char texts[sizeof(texts)];
};

static struct made_types make_types(void)
{
	struct made_types made = {
		.header = {
			.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(struct btf_header),
			.type_len = offsetof(struct made_types, texts) -
				    sizeof(struct btf_header),
			.str_off = offsetof(struct made_types, texts) -
				   sizeof(struct btf_header),
			.str_len = sizeof(texts),
		},
		.integer = { .info = info_of(BTF_KIND_INT, 0), .size = 4 },
		.enumeration = { .info = info_of(BTF_KIND_ENUM, 2) },
		.anonymous = { .info = info_of(BTF_KIND_UNION, 1), .size = 4 },
		.port = { TEXT_PORT, INT_TYPE, 0 },
		.structure = { TEXT_STRUCT, info_of(BTF_KIND_STRUCT, 3),
			       { 12 } },
		.members = { { TEXT_PAIR, INT_TYPE, 0 },
			     { TEXT_NONE, UNION_TYPE, 32 },
			     { TEXT_FAMILY, INT_TYPE, 64 } },
		.function = { TEXT_FUNCTION, info_of(BTF_KIND_FUNC, 0),
			      { 0 } },
	};

	memcpy(made.texts, texts, sizeof(texts));
	return made;
}

START_TEST(what_is_there_is_found)
{
	const struct made_types made = make_types();
	struct kernel_types *types =
		kernel_types_read((const uint8_t *)&made, sizeof(made), NULL);

	ck_assert_ptr_nonnull(types);
	ck_assert_uint_eq(kernel_types_function(types, "bpf_iter_tcp"),
			  FUNCTION_TYPE);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "pair"), 0);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "port"), 4);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "family"),
			 8);
	kernel_types_free(types);
}
END_TEST

START_TEST(what_is_not_there_is_not)
{
	const struct made_types made = make_types();
	struct kernel_types *types =
		kernel_types_read((const uint8_t *)&made, sizeof(made), NULL);

	ck_assert_ptr_nonnull(types);
	/* sock_common is the name of a struct, not of a function. */
	ck_assert_uint_eq(kernel_types_function(types, "sock_common"), 0);
	ck_assert_int_eq(kernel_types_offset(types, "bpf_iter_tcp", "port"),
			 -1);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "state"),
			 -1);
	kernel_types_free(types);
}
END_TEST

/* A union that is in itself, through members without names, ends. */
START_TEST(types_that_go_round_end)
{
	struct made_types made = make_types();
	struct kernel_types *types;

	made.port = (struct btf_member){ TEXT_NONE, UNION_TYPE, 0 };
	types = kernel_types_read((const uint8_t *)&made, sizeof(made), NULL);
	ck_assert_ptr_nonnull(types);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "port"), -1);
	kernel_types_free(types);
}
END_TEST

/* A struct with many members without names, each of which is such a struct: the
 * number of members to look at has no bound but the search's own.
 */
START_TEST(types_without_end_are_not_searched_to_the_end)
{
	enum { MEMBERS = 1000 };
	static struct {
		struct btf_header header;
		struct btf_type structure;
		struct btf_member members[MEMBERS];
		char texts[sizeof(texts)];
	} made = {
		.header = {
			.magic = BTF_MAGIC,
			.version = BTF_VERSION,
			.hdr_len = sizeof(struct btf_header),
			.type_len = sizeof(struct btf_type) +
				    MEMBERS * sizeof(struct btf_member),
			.str_off = sizeof(struct btf_type) +
				   MEMBERS * sizeof(struct btf_member),
			.str_len = sizeof(texts),
		},
		.structure = { TEXT_STRUCT,
			       (uint32_t)BTF_KIND_STRUCT << 24 | MEMBERS,
			       { 12 } },
	};
	struct kernel_types *types;

	for (size_t i = 0; i < MEMBERS; i++)
		made.members[i] = (struct btf_member){ TEXT_NONE, 1, 0 };
	memcpy(made.texts, texts, sizeof(texts));
	types = kernel_types_read((const uint8_t *)&made, sizeof(made), NULL);
	ck_assert_ptr_nonnull(types);
	ck_assert_int_eq(kernel_types_offset(types, "sock_common", "port"), -1);
	kernel_types_free(types);
}
END_TEST

START_TEST(what_is_cut_is_refused)
{
	struct made_types made = make_types();

	for (size_t size = 0; size < sizeof(made); size++)
		ck_assert_ptr_null(
			kernel_types_read((const uint8_t *)&made, size, NULL));
	made.header.type_len -= 4;
	ck_assert_ptr_null(
		kernel_types_read((const uint8_t *)&made, sizeof(made), NULL));
	made = make_types();
	made.header.magic = 0;
	ck_assert_ptr_null(
		kernel_types_read((const uint8_t *)&made, sizeof(made), NULL));
}
END_TEST

SUITE("kernel_types")
{
	TEST(what_is_there_is_found);
	TEST(what_is_not_there_is_not);
	TEST(types_that_go_round_end);
	TEST(types_without_end_are_not_searched_to_the_end);
	TEST(what_is_cut_is_refused);
}
