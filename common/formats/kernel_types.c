/* SPDX-License-Identifier: MIT */
#include "common/formats/kernel_types.h"

#include "common/array.h"
#include "common/bytes.h"

#include <linux/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The maximum nesting of structs, and of qualifiers and typedefs. */
enum { MOST_DEPTH = 12 };

/* The maximum number of members that a search looks at: damaged types may be
 * unions of each other.
 */
enum { MOST_MEMBERS = 100000 };

struct kernel_types {
	uint8_t *owned; /* the bytes, if kernel_types_running() read them */
	const struct kernel_types *base; /* NULL: vmlinux */
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

/* Reads the type at @position. Returns its size, or 0 if it is truncated. */
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

bool kernel_types_next(const uint8_t **at, size_t *left,
		       struct kernel_types_entry *entry, const uint8_t **stored)
{
	if (*left < sizeof(*entry))
		return false;
	memcpy(entry, *at, sizeof(*entry));
	if (entry->stored_bytes > *left - sizeof(*entry))
		return false;
	entry->name[sizeof(entry->name) - 1] = '\0';
	*stored = *at + sizeof(*entry);
	*at = *stored + entry->stored_bytes;
	*left -= sizeof(*entry) + entry->stored_bytes;
	return true;
}

struct kernel_types *kernel_types_read(const uint8_t *bytes, size_t size,
				       const struct kernel_types *base)
{
	struct kernel_types *types = calloc(1, sizeof(*types));

	if (!types)
		return NULL;
	types->base = base;
	types->positions = ARRAY_OF(uint32_t);
	if (read_header(types, bytes, size) && find_places(types))
		return types;
	kernel_types_free(types);
	return NULL;
}

struct kernel_types *kernel_types_running(void)
{
	struct byte_buffer bytes = { 0 };
	struct kernel_types *types = NULL;

	if (!byte_buffer_file(&bytes, "/sys/kernel/btf/vmlinux") &&
	    !bytes.failed)
		types = kernel_types_read(bytes.bytes, bytes.size, NULL);
	if (types)
		types->owned = bytes.bytes;
	else
		byte_buffer_free(&bytes);
	return types;
}

void kernel_types_free(struct kernel_types *types)
{
	if (!types)
		return;
	free(types->owned);
	array_free(&types->positions);
	free(types);
}

static const char *text_at(const struct kernel_types *types, uint32_t offset)
{
	if (types->base && offset < types->base->texts_size)
		return types->base->texts + offset;
	if (types->base)
		offset -= (uint32_t)types->base->texts_size;
	return offset < types->texts_size ? types->texts + offset : "";
}

/* Reads type @number. Returns a pointer to its bytes, or NULL if it does not
 * exist.
 */
static const uint8_t *type_at(const struct kernel_types *types, uint32_t number,
			      struct btf_type *type)
{
	size_t position;

	if (types->base && number <= types->base->positions.count)
		return type_at(types->base, number, type);
	if (types->base)
		number -= (uint32_t)types->base->positions.count;
	if (!number || number > types->positions.count)
		return NULL;
	position = *(uint32_t *)array_at(&types->positions, number - 1);
	read_type(types, position, type);
	return types->types + position;
}

/* A module's own types are searched before those of vmlinux. */
static uint32_t find(const struct kernel_types *types, unsigned int kind,
		     const char *name)
{
	uint32_t first =
		types->base ? (uint32_t)types->base->positions.count + 1 : 1;
	struct btf_type type;

	for (uint32_t i = first; type_at(types, i, &type); i++)
		if (BTF_INFO_KIND(type.info) == kind &&
		    !strcmp(text_at(types, type.name_off), name))
			return i;
	return types->base ? find(types->base, kind, name) : 0;
}

uint32_t kernel_types_function(const struct kernel_types *types,
			       const char *name)
{
	return find(types, BTF_KIND_FUNC, name);
}

uint32_t kernel_types_struct(const struct kernel_types *types, const char *name)
{
	return find(types, BTF_KIND_STRUCT, name);
}

/* Returns the member's offset in bits. If the struct has BTF's kind_flag, the
 * upper byte of the offset word is a bit field's size.
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

/* Returns the offset in bits of @name in struct or union @number, or -1. Stops
 * when *@members, the number of members looked at, exceeds MOST_MEMBERS:
 * nameless structs of untrusted types may contain each other, so that a few of
 * them have any number of members.
 */
static int64_t find_member(const struct kernel_types *types, uint32_t number,
			   const char *name, int depth, size_t *members)
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

		if (++*members > MOST_MEMBERS)
			return -1;
		memcpy(&member, bytes + i * sizeof(member), sizeof(member));
		text = text_at(types, member.name_off);
		if (!strcmp(text, name))
			inner = 0;
		else if (!*text)
			inner = find_member(types, member.type, name, depth + 1,
					    members);
		if (inner >= 0)
			return bits_of(&type, &member) + inner;
	}
	return -1;
}

int kernel_types_offset(const struct kernel_types *types, const char *name,
			const char *member)
{
	size_t members = 0;
	int64_t bits = find_member(types, find(types, BTF_KIND_STRUCT, name),
				   member, 0, &members);

	return bits >= 0 && bits / 8 <= INT32_MAX ? (int)(bits / 8) : -1;
}

/* Returns type @number without qualifiers and typedefs. */
static uint32_t plain(const struct kernel_types *types, uint32_t number)
{
	struct btf_type type;

	for (int i = 0; i < MOST_DEPTH && type_at(types, number, &type); i++)
		switch (BTF_INFO_KIND(type.info)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_CONST:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			number = type.type;
			break;
		default:
			return number;
		}
	return 0;
}

/* Returns the struct or union that type @number, a pointer, points to, or 0. */
static uint32_t pointee(const struct kernel_types *types, uint32_t number)
{
	struct btf_type type;

	if (!type_at(types, plain(types, number), &type) ||
	    BTF_INFO_KIND(type.info) != BTF_KIND_PTR)
		return 0;
	number = plain(types, type.type);
	return type_at(types, number, &type) && has_members(&type) ? number : 0;
}

/* Reads the prototype of @function. Returns a pointer to its bytes, or NULL. */
static const uint8_t *prototype_of(const struct kernel_types *types,
				   uint32_t function, struct btf_type *type)
{
	const uint8_t *bytes = NULL;

	if (type_at(types, function, type) &&
	    BTF_INFO_KIND(type->info) == BTF_KIND_FUNC)
		bytes = type_at(types, type->type, type);
	return bytes && BTF_INFO_KIND(type->info) == BTF_KIND_FUNC_PROTO ?
		       bytes :
		       NULL;
}

uint32_t kernel_types_parameter(const struct kernel_types *types,
				uint32_t function, uint32_t index)
{
	struct btf_param parameter;
	struct btf_type type;
	const uint8_t *bytes = prototype_of(types, function, &type);

	if (!bytes || index >= BTF_INFO_VLEN(type.info))
		return 0;
	memcpy(&parameter, bytes + sizeof(type) + index * sizeof(parameter),
	       sizeof(parameter));
	return pointee(types, parameter.type);
}

uint32_t kernel_types_result(const struct kernel_types *types,
			     uint32_t function)
{
	struct btf_type type;

	return prototype_of(types, function, &type) ?
		       pointee(types, type.type) :
		       0;
}

/* A search for a member by its offset. */
struct search {
	const struct kernel_types *types;
	/* names, one of which the member's type must have; NULL: search any
	 * pointer to a struct
	 */
	const char *const *names;
	uint32_t found; /* result without names: the pointer's struct */
	char *text;	/* result with names: the path to the member */
	size_t size;
	size_t struct_length; /* of the struct's name, the start of the path */
	size_t members;	      /* count of the members looked at */
};

static bool is_named(const struct search *search, uint32_t number)
{
	struct btf_type type;

	/* rwlock_t is the typedef of a struct without a name. */
	for (int i = 0; i < MOST_DEPTH; i++) {
		const char *name;

		if (!type_at(search->types, number, &type))
			return false;
		name = text_at(search->types, type.name_off);
		for (size_t n = 0; *name && search->names[n]; n++)
			if (!strcmp(name, search->names[n]))
				return true;
		if (BTF_INFO_KIND(type.info) != BTF_KIND_TYPEDEF)
			return false;
		number = type.type;
	}
	return false;
}

static uint64_t size_of(const struct kernel_types *types, uint32_t number,
			int depth)
{
	struct btf_array array;
	struct btf_type type;
	const uint8_t *bytes = type_at(types, plain(types, number), &type);

	if (!bytes || depth > MOST_DEPTH)
		return 0;
	if (BTF_INFO_KIND(type.info) == BTF_KIND_PTR)
		return sizeof(uint64_t);
	if (BTF_INFO_KIND(type.info) != BTF_KIND_ARRAY)
		return type.size;
	memcpy(&array, bytes + sizeof(type), sizeof(array));
	return array.nelems * size_of(types, array.type, depth + 1);
}

static bool find_at(struct search *search, uint32_t number, uint64_t offset,
		    size_t length, int depth);

/* Adds @separator and @name to the path, which has @length bytes. Returns its
 * new length, which is larger than the text's size if there is no room.
 */
static size_t add_name(const struct search *search, size_t length,
		       const char *separator, const char *name)
{
	int added = 0;

	if (search->names && *name && length < search->size)
		added = snprintf(search->text + length, search->size - length,
				 "%s%s", separator, name);
	return length + (size_t)(added > 0 ? added : 0);
}

/* Searches an array, whose elements have one type. */
static bool find_in_array(struct search *search, const uint8_t *bytes,
			  uint64_t offset, size_t length, int depth)
{
	struct btf_array array;
	char index[24];
	uint64_t size;

	memcpy(&array, bytes + sizeof(struct btf_type), sizeof(array));
	size = size_of(search->types, array.type, depth);
	if (!size || offset / size >= array.nelems)
		return false;
	snprintf(index, sizeof(index), "[%llu]",
		 (unsigned long long)(offset / size));
	length = add_name(search, length, "", index);
	return find_at(search, array.type, offset % size, length, depth + 1);
}

/* Searches the members of a struct or union, some of which share an offset. */
static bool find_in_struct(struct search *search, const struct btf_type *type,
			   const uint8_t *bytes, uint64_t offset, size_t length,
			   int depth)
{
	for (size_t i = 0; i < BTF_INFO_VLEN(type->info); i++) {
		struct btf_member member;
		uint64_t start;
		bool is_first = length == search->struct_length;
		const char *name;

		if (++search->members > MOST_MEMBERS)
			return false;
		memcpy(&member, bytes + sizeof(*type) + i * sizeof(member),
		       sizeof(member));
		start = bits_of(type, &member) / 8;
		if (start > offset ||
		    offset - start >= size_of(search->types, member.type, 0))
			continue;
		name = text_at(search->types, member.name_off);
		if (find_at(search, member.type, offset - start,
			    add_name(search, length, is_first ? "->" : ".",
				     name),
			    depth + 1))
			return true;
	}
	return false;
}

/* Searches type @number for the member at @offset. The path to this type has
 * @length bytes.
 */
static bool find_at(struct search *search, uint32_t number, uint64_t offset,
		    size_t length, int depth)
{
	struct btf_type type;
	const uint8_t *bytes =
		type_at(search->types, plain(search->types, number), &type);

	if (!bytes || depth > MOST_DEPTH)
		return false;
	if (!offset && search->names && is_named(search, number)) {
		if (length < search->size)
			search->text[length] = '\0';
		return length < search->size;
	}
	if (!offset && !search->names) {
		search->found = pointee(search->types, number);
		if (search->found)
			return true;
	}
	if (BTF_INFO_KIND(type.info) == BTF_KIND_ARRAY)
		return find_in_array(search, bytes, offset, length, depth);
	return has_members(&type) &&
	       find_in_struct(search, &type, bytes, offset, length, depth);
}

uint32_t kernel_types_pointer_at(const struct kernel_types *types,
				 uint32_t number, uint64_t offset)
{
	struct search search = { .types = types };

	return find_at(&search, number, offset, 0, 0) ? search.found : 0;
}

bool kernel_types_name_member(const struct kernel_types *types, uint32_t number,
			      uint64_t offset, const char *const *names,
			      char *text, size_t size)
{
	struct search search = {
		.types = types,
		.names = names,
		.text = text,
		.size = size,
	};
	struct btf_type type;
	const char *name;

	if (!type_at(types, number, &type))
		return false;
	name = text_at(types, type.name_off);
	search.struct_length = add_name(&search, 0, "", name);
	return *name &&
	       find_at(&search, number, offset, search.struct_length, 0);
}
