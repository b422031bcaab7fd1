/* SPDX-License-Identifier: MIT */
#include "collector/sockets/kernel_types.h"

#include "common/array.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The maximum nesting of structs. */
enum { MOST_DEPTH = 8 };

struct kernel_types {
	uint8_t *owned; /* the bytes, if kernel_types_running() read them */
	const uint8_t *types;
	size_t types_size;
	const char *texts; /* ends with a NUL */
	size_t texts_size;
	struct array positions; /* uint32_t: offset of each type, from number 1 */
};

/* Returns how many bytes follow a type of @kind with @count members. */
static size_t tail_size(unsigned int kind, size_t count)
{
	switch (kind) {
	case BTF_KIND_INT:
	case BTF_KIND_VAR:
	case BTF_KIND_DECL_TAG:
		return sizeof(uint32_t);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return count * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return count * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return count * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return count * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return count * 3 * sizeof(uint32_t);
	default:
		return 0;
	}
}

/* Reads the type at @position. Returns its size, 0 if it is cut. */
static size_t read_type(const struct kernel_types *types, size_t position,
			struct btf_type *type)
{
	size_t size;

	if (types->types_size - position < sizeof(*type))
		return 0;
	memcpy(type, types->types + position, sizeof(*type));
	size = sizeof(*type) +
	       tail_size(BTF_INFO_KIND(type->info), BTF_INFO_VLEN(type->info));
	return size <= types->types_size - position ? size : 0;
}

static bool find_places(struct kernel_types *types)
{
	struct btf_type type;
	size_t size;

	for (size_t position = 0; position < types->types_size;
	     position += size) {
		uint32_t *slot = array_add(&types->positions);

		size = read_type(types, position, &type);
		if (!slot || !size)
			return false;
		*slot = (uint32_t)position;
	}
	return true;
}

/* Returns the part of the @size bytes at @offset of the header's data, or NULL.
 */
static const uint8_t *part_of(const uint8_t *bytes, size_t size,
			      const struct btf_header *header, uint32_t offset,
			      uint32_t length)
{
	uint64_t begin = (uint64_t)header->hdr_len + offset;

	return begin + length <= size ? bytes + begin : NULL;
}

static bool read_header(struct kernel_types *types, const uint8_t *bytes,
			size_t size)
{
	struct btf_header header;

	if (size < sizeof(header))
		return false;
	memcpy(&header, bytes, sizeof(header));
	types->types =
		part_of(bytes, size, &header, header.type_off, header.type_len);
	types->texts = (const char *)part_of(bytes, size, &header,
					     header.str_off, header.str_len);
	types->types_size = header.type_len;
	types->texts_size = header.str_len;
	return header.magic == BTF_MAGIC && types->types && types->texts &&
	       header.str_len && !types->texts[header.str_len - 1];
}

struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size)
{
	struct kernel_types *types = calloc(1, sizeof(*types));

	if (!types)
		return NULL;
	types->positions = ARRAY_OF(uint32_t);
	if (read_header(types, bytes, size) && find_places(types))
		return types;
	kernel_types_free(types);
	return NULL;
}

/* Returns the bytes of the file, which the caller frees, or NULL. */
static uint8_t *read_types(size_t *size)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY | O_CLOEXEC);
	struct stat stat;
	uint8_t *bytes = NULL;
	ssize_t got = 1;

	*size = 0;
	if (fd >= 0 && !fstat(fd, &stat) && stat.st_size > 0)
		bytes = malloc((size_t)stat.st_size);
	while (bytes && got > 0 && *size < (size_t)stat.st_size) {
		got = read(fd, bytes + *size, (size_t)stat.st_size - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	return bytes;
}

struct kernel_types *kernel_types_running(void)
{
	size_t size;
	uint8_t *bytes = read_types(&size);
	struct kernel_types *types = bytes ? kernel_types_read(bytes, size) :
					     NULL;

	if (types)
		types->owned = bytes;
	else
		free(bytes);
	return types;
}

void kernel_types_free(struct kernel_types *types)
{
	if (!types)
		return;
	array_free(&types->positions);
	free(types->owned);
	free(types);
}

static const char *text_at(const struct kernel_types *types, uint32_t offset)
{
	return offset < types->texts_size ? types->texts + offset : "";
}

/* Reads type @number. Returns its position, or NULL if it does not exist. */
static const uint8_t *type_at(const struct kernel_types *types, uint32_t number,
			      struct btf_type *type)
{
	size_t position;

	if (!number || number > types->positions.count)
		return NULL;
	position = *(uint32_t *)array_at(&types->positions, number - 1);
	read_type(types, position, type);
	return types->types + position;
}

static uint32_t find(const struct kernel_types *types, unsigned int kind,
		     const char *name)
{
	struct btf_type type;

	for (uint32_t i = 1; type_at(types, i, &type); i++)
		if (BTF_INFO_KIND(type.info) == kind &&
		    !strcmp(text_at(types, type.name_off), name))
			return i;
	return 0;
}

uint32_t kernel_types_function(const struct kernel_types *types,
			       const char *name)
{
	return find(types, BTF_KIND_FUNC, name);
}

/* Returns the member's offset in bits. If the struct has this flag, the offset
 * word also contains a bit field's size.
 */
static uint32_t bits_of(const struct btf_type *type,
			const struct btf_member *member)
{
	return BTF_INFO_KFLAG(type->info) ?
		       BTF_MEMBER_BIT_OFFSET(member->offset) :
		       member->offset;
}

static bool has_members(const struct btf_type *type)
{
	return BTF_INFO_KIND(type->info) == BTF_KIND_STRUCT ||
	       BTF_INFO_KIND(type->info) == BTF_KIND_UNION;
}

/* Returns the offset in bits of @name in struct or union @number, or -1. */
static int64_t find_member(const struct kernel_types *types, uint32_t number,
			   const char *name, int depth)
{
	struct btf_member member;
	struct btf_type type;
	const uint8_t *bytes = type_at(types, number, &type);

	if (!bytes || !has_members(&type) || depth > MOST_DEPTH)
		return -1;
	bytes += sizeof(type);
	for (size_t i = 0; i < BTF_INFO_VLEN(type.info); i++) {
		const char *text;
		int64_t inner = -1;

		memcpy(&member, bytes + i * sizeof(member), sizeof(member));
		text = text_at(types, member.name_off);
		if (!strcmp(text, name))
			inner = 0;
		else if (!*text)
			inner = find_member(types, member.type, name,
					    depth + 1);
		if (inner >= 0)
			return bits_of(&type, &member) + inner;
	}
	return -1;
}

int kernel_types_offset(const struct kernel_types *types, const char *name,
			const char *member)
{
	int64_t bits = find_member(types, find(types, BTF_KIND_STRUCT, name),
				   member, 0);

	return bits >= 0 && bits / 8 <= INT32_MAX ? (int)(bits / 8) : -1;
}
