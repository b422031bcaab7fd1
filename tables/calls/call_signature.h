/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALL_SIGNATURE_H
#define KT_TABLES_CALL_SIGNATURE_H

/* Format of an argument or result of a system call. The letters make up
 * signatures.
 */
enum call_value {
	CALL_INT = 'd',	    /* int: a descriptor, a process, a count */
	CALL_LONG = 'l',    /* long: an offset */
	CALL_SIZE = 'u',    /* unsigned long */
	CALL_POINTER = 'p', /* NULL or an address */
	CALL_HEX = 'x',
	CALL_MODE = 'o', /* of a file, in octal */
	/* like CALL_MODE; only present if a file is created */
	CALL_NEW_MODE = 'm',
	CALL_DIRECTORY = 'D', /* a descriptor or AT_FDCWD */
	CALL_OPEN_FLAGS = 'O',
	CALL_AT_FLAGS = 'F',
	CALL_ACCESS = 'A',     /* R_OK ... */
	CALL_PROTECTION = 'P', /* PROT_READ ... */
	CALL_MAP_FLAGS = 'M',
	CALL_CLONE_FLAGS = 'C',
	CALL_SIGNAL = 'S',
	CALL_WHENCE = 'W',	/* SEEK_SET ... */
	CALL_FUTEX = 'f',	/* FUTEX_WAIT ... */
	CALL_CLOCK = 'c',	/* CLOCK_MONOTONIC ... */
	CALL_FAMILY = 't',	/* AF_UNIX ... */
	CALL_SOCKET_TYPE = 'T', /* SOCK_STREAM ... */
	CALL_FCNTL = 'n',	/* F_GETFL ... */
	CALL_EPOLL = 'e',	/* EPOLL_CTL_ADD ... */
};

/* Returns the signature of system call @name, according to its manual page
 * (section 2): the letter of the result, then a letter for each argument. NULL
 * if unknown.
 */
const char *call_signature(const char *name);

#endif
