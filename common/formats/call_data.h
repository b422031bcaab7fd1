/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FORMATS_CALL_DATA_H
#define KT_COMMON_FORMATS_CALL_DATA_H

/* What the arguments of a system call refer to, as record --syscall-data records
 * it: samples of an event of this name, of the calling thread. A sample belongs
 * to the call in which it was written: at its start, or at its end (is_exit).
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
	CALL_DATA_STRING, /* ends with a NUL; info: the most that were read */
	CALL_DATA_BYTES,  /* a structure */
	CALL_DATA_COUNTED, /* an array; info: its size, of which a part is here */
	CALL_DATA_MEASURED, /* an array whose size the caller has in memory */
	CALL_DATA_STRINGS,  /* each ends with a NUL; info: 1 if all are here */
	CALL_DATA_FILE,	    /* of a descriptor: struct call_data_file, ... */
	/* of the descriptor that the array has at byte `info` */
	CALL_DATA_FILE_AT,
	CALL_DATA_KINDS,
};

/* Instead of the number of an argument: the call's result. */
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
	uint32_t device; /* in the kernel's encoding: 12 bits, 20 bits */
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
	uint8_t local[16]; /* of AF_INET: the first 4 bytes */
	uint8_t remote[16];
};

#endif
