/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_CALL_DATA_H
#define KT_COMMON_FORMATS_CALL_DATA_H

/* The memory and files to which the arguments of a system call refer, as record
 * --syscall-data records them: as samples of the event CALL_DATA_EVENT, in the
 * calling thread. A sample was taken at the start of the call or, if is_exit,
 * at its end:
 *
 *	struct call_data | struct call_data_item, bytes, padding to 8 | ...
 *
 * Numbers are little-endian. An item that could not be read is missing.
 */

#include <stdint.h>

#define CALL_DATA_EVENT "ktrace_hw:syscall_data"

struct call_data {
	int32_t number; /* of the system call */
	uint32_t is_exit;
	uint64_t size; /* of the items */
};

enum call_data_kind {
	CALL_DATA_NONE,
	/* a string with its NUL; info: the maximum length, at which longer ones
	 * are cut
	 */
	CALL_DATA_STRING,
	CALL_DATA_BYTES, /* a structure */
	/* an array; info: its whole size in bytes. The item has only its start
	 * if the size exceeds the limit.
	 */
	CALL_DATA_COUNTED,
	/* like COUNTED; its size was read from the caller's memory */
	CALL_DATA_MEASURED,
	CALL_DATA_STRINGS, /* each ends with a NUL; info: 1 if all are here */
	/* the file of a descriptor: struct call_data_file and its names */
	CALL_DATA_FILE,
	/* the file of the descriptor at byte `info` of an array */
	CALL_DATA_FILE_AT,
	CALL_DATA_KINDS,
};

/* CALL_DATA_RESULT stands for the call's result, in place of the number of an
 * argument; CALL_DATA_PLACES counts the arguments and the result.
 */
enum { CALL_DATA_RESULT = 6, CALL_DATA_PLACES = 7 };

struct call_data_item {
	uint8_t kind;	  /* enum call_data_kind */
	uint8_t argument; /* its number, or CALL_DATA_RESULT */
	uint16_t size;	  /* of its bytes, without padding */
	uint32_t info;
};

enum call_data_file_flags {
	CALL_FILE_ROOTED = 1,	/* the path starts at the root directory */
	CALL_FILE_DETACHED = 2, /* the file is in no directory: a pipe, ... */
	CALL_FILE_DELETED = 4,
	CALL_FILE_SOCKET = 8, /* struct call_data_socket follows */
};

/* A file. The names of its path follow, from the last to the first, each with a
 * NUL; the first ones are missing if it is neither rooted nor detached.
 */
struct call_data_file {
	uint64_t inode;
	/* as in the kernel: major number << 20 | minor number */
	uint32_t device;
	uint16_t mode;
	uint16_t flags; /* enum call_data_file_flags */
};

struct call_data_socket {
	uint16_t family;
	uint16_t type;
	uint16_t protocol;
	uint16_t local_port;
	uint16_t remote_port; /* in network byte order */
	uint16_t reserved[3];
	uint8_t local[16]; /* the address; of AF_INET, only the first 4 bytes */
	uint8_t remote[16];
};

#endif
