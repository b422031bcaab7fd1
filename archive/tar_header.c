/* SPDX-License-Identifier: MIT */
#include "archive/tar_header.h"

#include "common/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fields of POSIX's ustar header block. */
struct ustar {
	char name[100];
	char mode[8];
	char owner[8];
	char group[8];
	char size[12];
	char changed[12];
	char checksum[8];
	char type;
	char link[100];
	char magic[6];
	char version[2];
	char owner_name[32];
	char group_name[32];
	char major[8];
	char minor[8];
	char prefix[155];
	char unused[12];
};

_Static_assert(sizeof(struct ustar) == TAR_BLOCK_BYTES, "a block");

/* The greatest number of a field with eleven octal digits. */
#define MOST 077777777777ull

uint64_t tar_padded(uint64_t size)
{
	return (size + TAR_BLOCK_BYTES - 1) / TAR_BLOCK_BYTES * TAR_BLOCK_BYTES;
}

static unsigned int sum(const struct ustar *block)
{
	const uint8_t *bytes = (const uint8_t *)block;
	unsigned int total = 0;

	for (size_t i = 0; i < TAR_BLOCK_BYTES; i++) {
		bool is_sum = i >= offsetof(struct ustar, checksum) &&
			      i < offsetof(struct ustar, type);

		total += is_sum ? ' ' : bytes[i];
	}
	return total;
}

/* Values that do not fit are in records. */
static void write_number(char *field, size_t room, uint64_t number)
{
	snprintf(field, room, "%0*llo", (int)room - 1,
		 (unsigned long long)(number <= MOST ? number : 0));
}

void tar_header_write(const struct tar_header *header,
		      uint8_t block[TAR_BLOCK_BYTES])
{
	struct ustar ustar = { .type = header->type };

	memcpy(ustar.name, header->name,
	       strnlen(header->name, sizeof(ustar.name)));
	write_number(ustar.mode, sizeof(ustar.mode), header->mode & 07777);
	write_number(ustar.owner, sizeof(ustar.owner), 0);
	write_number(ustar.group, sizeof(ustar.group), 0);
	write_number(ustar.size, sizeof(ustar.size), header->size);
	write_number(ustar.changed, sizeof(ustar.changed),
		     (uint64_t)header->changed.tv_sec);
	memcpy(ustar.magic, "ustar", 6);
	memcpy(ustar.version, "00", 2);
	snprintf(ustar.checksum, sizeof(ustar.checksum), "%06o", sum(&ustar));
	ustar.checksum[7] = ' ';
	memcpy(block, &ustar, TAR_BLOCK_BYTES);
}

/* Reads digits up to a blank, a zero or the end. Returns whether they are a
 * number.
 */
static bool read_octal(const char *field, size_t room, uint64_t *number)
{
	size_t i = 0;

	*number = 0;
	for (; i < room && field[i] >= '0' && field[i] <= '7'; i++)
		*number = *number * 8 + (uint64_t)(field[i] - '0');
	return i && (i == room || !field[i] || field[i] == ' ');
}

int tar_header_read(struct tar_header *header,
		    const uint8_t block[TAR_BLOCK_BYTES])
{
	static const uint8_t end[TAR_BLOCK_BYTES];
	struct ustar ustar;
	uint64_t mode;
	uint64_t changed;
	uint64_t checksum;

	if (!memcmp(block, end, sizeof(end)))
		return 0;
	memcpy(&ustar, block, sizeof(ustar));
	*header = (struct tar_header){ .type = ustar.type };
	if (!read_octal(ustar.mode, sizeof(ustar.mode), &mode) ||
	    !read_octal(ustar.size, sizeof(ustar.size), &header->size) ||
	    !read_octal(ustar.changed, sizeof(ustar.changed), &changed) ||
	    !read_octal(ustar.checksum, 7, &checksum) ||
	    memcmp(ustar.magic, "ustar", 5) || checksum != sum(&ustar))
		return -ERROR_FORMAT;
	memcpy(header->name, ustar.name, sizeof(ustar.name));
	header->mode = (mode_t)mode & 0777;
	header->changed.tv_sec = (time_t)changed;
	return 1;
}

/* A record's length counts its own digits. */
static size_t write_record(char *text, size_t room, const char *key,
			   const char *value)
{
	size_t length = strlen(key) + strlen(value) + 3;
	char digits[24];
	size_t whole = length + 1;

	while (whole !=
	       length + (size_t)snprintf(digits, sizeof(digits), "%zu", whole))
		whole++;
	return (size_t)snprintf(text, room, "%s %s=%s\n", digits, key, value);
}

size_t tar_records_write(const struct tar_header *header, char *text,
			 size_t room)
{
	char value[64];
	size_t length;

	snprintf(value, sizeof(value), "%lld.%09ld",
		 (long long)header->changed.tv_sec, header->changed.tv_nsec);
	length = write_record(text, room, "mtime", value);
	if (strlen(header->name) > sizeof(((struct ustar *)0)->name))
		length += write_record(text + length, room - length, "path",
				       header->name);
	snprintf(value, sizeof(value), "%llu",
		 (unsigned long long)header->size);
	if (header->size > MOST)
		length += write_record(text + length, room - length, "size",
				       value);
	return length;
}

static bool read_time(const char *text, struct timespec *time)
{
	char *end;

	time->tv_sec = strtoll(text, &end, 10);
	time->tv_nsec = *end == '.' ? strtol(end + 1, &end, 10) : 0;
	return !*end && time->tv_nsec >= 0 && time->tv_nsec < 1000000000;
}

static bool read_size(const char *text, uint64_t *size)
{
	char *end;

	*size = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end;
}

static bool take_record(struct tar_header *header, char *record)
{
	char *value = strchr(record, '=');

	if (!value)
		return false;
	*value++ = '\0';
	if (!strcmp(record, "mtime"))
		return read_time(value, &header->changed);
	if (!strcmp(record, "size"))
		return read_size(value, &header->size);
	if (strcmp(record, "path"))
		return true;
	return snprintf(header->name, sizeof(header->name), "%s", value) <
	       (int)sizeof(header->name);
}

int tar_records_read(struct tar_header *header, const char *text, size_t size)
{
	char copy[2 * PATH_MAX];
	char *next = copy;

	if (size >= sizeof(copy) || memchr(text, '\0', size))
		return -ERROR_FORMAT;
	memcpy(copy, text, size);
	copy[size] = '\0';
	while (*next) {
		char *rest;
		size_t length = strtoul(next, &rest, 10);
		size_t digits = (size_t)(rest - next);

		if (!digits || *rest != ' ' || length < digits + 2 ||
		    length > size - (size_t)(next - copy) ||
		    next[length - 1] != '\n')
			return -ERROR_FORMAT;
		next[length - 1] = '\0';
		if (!take_record(header, rest + 1))
			return -ERROR_FORMAT;
		next += length;
	}
	return 0;
}
