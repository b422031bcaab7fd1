/* SPDX-License-Identifier: MIT */
/* The object whose lock a function passes to a locking function. */
#include "common/formats/kernel_types.h"
#include "tables/waits/lock_members_internal.h"
#include "tests/run_suite.h"

#include <linux/btf.h>
#include <stddef.h>
#include <string.h>

/* struct inner { int number; struct mutex lock[2]; struct inner *next; };
 * struct outer { int number; struct inner *inner; };
 * struct inner *find(struct outer *a, struct outer *b);
 * struct task_struct is as struct outer. A mutex has 8 bytes.
 */
static const char texts[] =
	"\0outer\0inner\0lock\0mutex\0next\0task_struct\0find\0number";
enum {
	TEXT_OUTER = 1,
	TEXT_INNER = 7,
	TEXT_LOCK = 13,
	TEXT_MUTEX = 18,
	TEXT_NEXT = 24,
	TEXT_TASK = 29,
	TEXT_FIND = 41,
	TEXT_NUMBER = 46,
};

enum {
	INT = 1,
	MUTEX,
	LOCKS,
	INNER,
	INNER_POINTER,
	OUTER,
	OUTER_POINTER,
	TASK,
	PROTOTYPE,
	FIND,
};

struct made_types {
	struct btf_header header;
	struct btf_type integer;
	uint32_t integer_tail;
	struct btf_type mutex;
	struct btf_type locks;
	struct btf_array locks_tail;
	struct btf_type inner;
	struct btf_member inner_members[3];
	struct btf_type inner_pointer;
	struct btf_type outer;
	struct btf_member outer_members[2];
	struct btf_type outer_pointer;
	struct btf_type task;
	struct btf_member task_members[2];
	struct btf_type prototype;
	struct btf_param parameters[2];
	struct btf_type find;
	char texts[sizeof(texts)];
};

static const struct made_types made = {
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
	.integer = { .info = BTF_KIND_INT << 24, .size = 4 },
	.mutex = { TEXT_MUTEX, BTF_KIND_STRUCT << 24, { .size = 8 } },
	.locks = { .info = BTF_KIND_ARRAY << 24 },
	.locks_tail = { .type = MUTEX, .nelems = 2 },
	.inner = { TEXT_INNER, BTF_KIND_STRUCT << 24 | 3, { .size = 32 } },
	.inner_members = { { TEXT_NUMBER, INT, 0 },
			   { TEXT_LOCK, LOCKS, 64 },
			   { TEXT_NEXT, INNER_POINTER, 192 } },
	.inner_pointer = { .info = BTF_KIND_PTR << 24, .type = INNER },
	.outer = { TEXT_OUTER, BTF_KIND_STRUCT << 24 | 2, { .size = 16 } },
	.outer_members = { { TEXT_NUMBER, INT, 0 },
			   { TEXT_INNER, INNER_POINTER, 64 } },
	.outer_pointer = { .info = BTF_KIND_PTR << 24, .type = OUTER },
	.task = { TEXT_TASK, BTF_KIND_STRUCT << 24 | 2, { .size = 16 } },
	.task_members = { { TEXT_NUMBER, INT, 0 },
			  { TEXT_INNER, INNER_POINTER, 64 } },
	.prototype = { .info = BTF_KIND_FUNC_PROTO << 24 | 2,
		       .type = INNER_POINTER },
	.parameters = { { TEXT_OUTER, OUTER_POINTER },
			{ TEXT_OUTER, OUTER_POINTER } },
	.find = { TEXT_FIND, BTF_KIND_FUNC << 24, { .type = PROTOTYPE } },
	.texts = "\0outer\0inner\0lock\0mutex\0next\0task_struct\0find\0number",
};

static struct kernel_types *types;

static void set_up(void)
{
	types = kernel_types_read((const uint8_t *)&made, sizeof(made), NULL);
	ck_assert_ptr_nonnull(types);
}

static void tear_down(void)
{
	kernel_types_free(types);
}

/* All calls are of find(). */
static uint32_t function_at(void *ctx, uint64_t target)
{
	(void)ctx;
	(void)target;
	return FIND;
}

static bool is_current(void *ctx, uint64_t offset)
{
	(void)ctx;
	return offset == 0x40;
}

static const struct {
	const char *name;
	const char *bytes;
	size_t size;
	size_t return_offset;
	const char *member; /* NULL: unknown */
} codes[] = {
#define CODE(bytes) bytes, sizeof(bytes) - 1
	{ "a pointer in a parameter, after the tracer's call",
	  CODE("\xf3\x0f\x1e\xfa" /* endbr64 */
	       "\xe8\0\0\0\0"	  /* call */
	       "\x53"		  /* push %rbx */
	       "\x48\x89\xfb"	  /* mov %rdi,%rbx */
	       "\x48\x8b\x46\x08" /* mov 0x8(%rsi),%rax */
	       "\x48\x8d\x78\x10" /* lea 0x10(%rax),%rdi */
	       "\xe8\0\0\0\0"	  /* call */
	       "\x5b\xc3"),	  /* pop %rbx; ret */
	  0x1a, "inner->lock[1]" },
	{ "the current task, a stack slot, and branches that meet",
	  CODE("\x53"				/* push %rbx */
	       "\x48\x83\xec\x18"		/* sub $0x18,%rsp */
	       "\x65\x48\x8b\x04\x25\x40\0\0\0" /* mov %gs:0x40,%rax */
	       "\x48\x8b\x58\x08"		/* mov 0x8(%rax),%rbx */
	       "\x48\x89\x5c\x24\x08"		/* mov %rbx,0x8(%rsp) */
	       "\x85\xf6\x74\x07"		/* test %esi,%esi; je */
	       "\x31\xdb"			/* xor %ebx,%ebx */
	       "\xe8\0\0\0\0"			/* call */
	       "\x48\x8b\x7c\x24\x08"		/* mov 0x8(%rsp),%rdi */
	       "\x48\x83\xc7\x08"		/* add $0x8,%rdi */
	       "\xe8\0\0\0\0"			/* call */
	       "\x48\x83\xc4\x18"		/* add $0x18,%rsp */
	       "\x5b\xc3"),			/* pop %rbx; ret */
	  0x30, "inner->lock[0]" },
	{ "branches that differ",
	  CODE("\x48\x8b\x47\x08"   /* mov 0x8(%rdi),%rax */
	       "\x85\xf6\x74\x08"   /* test %esi,%esi; je */
	       "\x48\x8b\x47\x08"   /* mov 0x8(%rdi),%rax */
	       "\x48\x8b\x40\x10"   /* mov 0x10(%rax),%rax */
	       "\x48\x8d\x78\x10"   /* lea 0x10(%rax),%rdi */
	       "\xe8\0\0\0\0\xc3"), /* call; ret */
	  0x19, NULL },
	{ "a function's result, in a loop",
	  CODE("\x53"		  /* push %rbx */
	       "\xe8\0\0\0\0"	  /* call */
	       "\x48\x89\xc3"	  /* mov %rax,%rbx */
	       "\x48\x8d\x7b\x10" /* lea 0x10(%rbx),%rdi */
	       "\xe8\0\0\0\0"	  /* call */
	       "\xeb\xf5"),	  /* jmp to the lea */
	  0x12, "inner->lock[1]" },
	{ "a slot whose address another function has",
	  CODE("\x48\x83\xec\x18"     /* sub $0x18,%rsp */
	       "\x48\x8b\x7f\x08"     /* mov 0x8(%rdi),%rdi */
	       "\x48\x89\x7c\x24\x08" /* mov %rdi,0x8(%rsp) */
	       "\x48\x8d\x7c\x24\x08" /* lea 0x8(%rsp),%rdi */
	       "\xe8\0\0\0\0"	      /* call */
	       "\x48\x8b\x7c\x24\x08" /* mov 0x8(%rsp),%rdi */
	       "\x48\x83\xc7\x08"     /* add $0x8,%rdi */
	       "\xe8\0\0\0\0\xc3"),   /* call; ret */
	  0x25, NULL },
	{ "no member at the offset",
	  CODE("\x48\x8b\x47\x08"   /* mov 0x8(%rdi),%rax */
	       "\x48\x8d\x78\x04"   /* lea 0x4(%rax),%rdi */
	       "\xe8\0\0\0\0\xc3"), /* call; ret */
	  0xd, NULL },
};

START_TEST(the_member_is_found)
{
	static const char *const names[] = { "mutex", NULL };
	const struct locking_code code = {
		.bytes = (const uint8_t *)codes[_i].bytes,
		.size = codes[_i].size,
		.address = 0x1000,
		.return_address = 0x1000 + codes[_i].return_offset,
		.types = types,
		.function = FIND,
		.function_at = function_at,
		.is_current = is_current,
	};
	const struct lock_argument argument = locking_code_argument(&code);
	char text[64] = "";
	bool is_found = argument.type && argument.offset >= 0 &&
			kernel_types_name_member(types, argument.type,
						 (uint64_t)argument.offset,
						 names, text, sizeof(text));

	ck_assert_msg(is_found == !!codes[_i].member, "%s: %s", codes[_i].name,
		      text);
	if (is_found)
		ck_assert_str_eq(text, codes[_i].member);
}
END_TEST

/* Any bytes end the reading. */
START_TEST(cut_code_ends)
{
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		for (size_t size = 0; size < codes[i].size; size++) {
			const struct locking_code code = {
				.bytes = (const uint8_t *)codes[i].bytes,
				.size = size,
				.address = 0x1000,
				.return_address =
					0x1000 + codes[i].return_offset,
				.types = types,
				.function_at = function_at,
				.is_current = is_current,
			};
			const struct lock_argument argument =
				locking_code_argument(&code);

			ck_assert(size >= codes[i].return_offset ||
				  !argument.is_known);
		}
}
END_TEST

START_TEST(members_are_named)
{
	static const char *const names[] = { "mutex", NULL };
	char text[64];

	ck_assert_uint_eq(kernel_types_function(types, "find"), FIND);
	ck_assert_uint_eq(kernel_types_struct(types, "outer"), OUTER);
	ck_assert_uint_eq(kernel_types_parameter(types, FIND, 1), OUTER);
	ck_assert_uint_eq(kernel_types_parameter(types, FIND, 2), 0);
	ck_assert_uint_eq(kernel_types_result(types, FIND), INNER);
	ck_assert_uint_eq(kernel_types_pointer_at(types, OUTER, 8), INNER);
	ck_assert_uint_eq(kernel_types_pointer_at(types, OUTER, 4), 0);
	ck_assert(kernel_types_name_member(types, INNER, 8, names, text, 64));
	ck_assert_str_eq(text, "inner->lock[0]");
	ck_assert(!kernel_types_name_member(types, INNER, 8, names, text, 10));
	ck_assert(!kernel_types_name_member(types, INNER, 24, names, text, 64));
}
END_TEST

SUITE("locking_code")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(the_member_is_found, codes);
	TEST(cut_code_ends);
	TEST(members_are_named);
}
