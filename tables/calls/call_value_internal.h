/* SPDX-License-Identifier: MIT */
#ifndef KT_TABLES_CALLS_CALL_VALUE_INTERNAL_H
#define KT_TABLES_CALLS_CALL_VALUE_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct call_items;

/* Format of an argument or result of a system call. The letters make up
 * signatures.
 */
enum call_value {
	CALL_INT = 'd',	    /* int: a process, a count */
	CALL_LONG = 'l',    /* long: an offset */
	CALL_SIZE = 'u',    /* unsigned long */
	CALL_POINTER = 'p', /* NULL or an address: of a text, of bytes */
	CALL_HEX = 'x',
	CALL_MODE = 'o', /* of a file, in octal */
	/* like CALL_MODE; only present if a file is created */
	CALL_NEW_MODE = 'm',
	CALL_DIRECTORY = 'D', /* a descriptor or AT_FDCWD */
	CALL_OPEN_FLAGS = 'O',
	CALL_AT_FLAGS = 'F',
	CALL_REMOVE_FLAGS = 'r', /* AT_REMOVEDIR */
	CALL_ACCESS = 'A',	 /* R_OK ... */
	CALL_PROTECTION = 'P',	 /* PROT_READ ... */
	CALL_MAP_FLAGS = 'M',
	CALL_CLONE_FLAGS = 'C',
	CALL_SIGNAL = 'S',
	CALL_WHENCE = 'W',	 /* SEEK_SET ... */
	CALL_FUTEX = 'f',	 /* FUTEX_WAIT ... */
	CALL_CLOCK = 'c',	 /* CLOCK_MONOTONIC ... */
	CALL_FAMILY = 't',	 /* AF_UNIX ... */
	CALL_SOCKET_TYPE = 'T',	 /* SOCK_STREAM ... */
	CALL_SOCKET_FLAGS = '4', /* of accept4 */
	CALL_PROTOCOL = 'J',	 /* IPPROTO_TCP ... */
	CALL_FCNTL = 'n',	 /* F_GETFL ... */
	CALL_EPOLL = 'e',	 /* EPOLL_CTL_ADD ... */
	CALL_EPOLL_FLAGS = 'j',
	CALL_EVENTFD_FLAGS = 'Q',
	CALL_PIPE_FLAGS = '$', /* of pipe2 and dup3 */
	CALL_TIMERFD_FLAGS = '%',
	CALL_INOTIFY_FLAGS = '&',
	CALL_SIGNALFD_FLAGS = '+',
	CALL_MEMFD_FLAGS = '!',
	CALL_IOCTL = 'K',  /* TCGETS ... */
	CALL_ADVICE = 'a', /* MADV_DONTNEED ... */
	CALL_FLOCK = 'b',  /* LOCK_EX ... */
	CALL_RENAME_FLAGS = '8',
	CALL_MASK_HOW = '5',	 /* SIG_BLOCK ... */
	CALL_WAIT_OPTIONS = '6', /* WNOHANG ... */
	CALL_RESOURCE = '7',	 /* RLIMIT_NOFILE ... */
	CALL_SHUTDOWN = '9',	 /* SHUT_RD ... */
	CALL_RANDOM_FLAGS = '0',
	CALL_MESSAGE_FLAGS = '1', /* MSG_DONTWAIT ... */
	CALL_LEVEL = 'B',	  /* SOL_SOCKET ... */
	CALL_SOCKET_OPTION = '=', /* SO_REUSEADDR ... */
	CALL_TCP_OPTION = '-',	  /* TCP_NODELAY ... */
	CALL_ARCH_PRCTL = 'z',
	CALL_TIMER_FLAGS = 'Z', /* TIMER_ABSTIME */
	CALL_OFFSET = 'X',	/* of mmap, in hexadecimal */
	/* Addresses of structures; written as pointers if the structures were
	 * not recorded.
	 */
	CALL_SOCKADDR = 'k',
	CALL_SOCKADDR_SIZE = 'w', /* the size that the kernel wrote */
	CALL_TIMESPEC = 's',
	CALL_TIMESPECS = '2', /* two */
	CALL_ITIMERSPEC = 'i',
	CALL_ITIMERVAL = 'I',
	CALL_STAT = 'g',
	CALL_STATX = 'G',
	CALL_POLLFDS = 'L',
	CALL_EPOLL_EVENT = 'E',
	CALL_EPOLL_EVENTS = 'V',
	CALL_IOVECS = 'v',
	CALL_SIGSET = 'y',
	CALL_SIGACTION = 'Y',
	CALL_STATUS = 'R', /* of a child that has ended */
	CALL_RLIMIT = 'U',
	CALL_UTSNAME = 'N',
	CALL_MESSAGE = 'H',	/* struct msghdr */
	CALL_OPTION = '3',	/* int */
	CALL_DESCRIPTORS = 'q', /* two */
	CALL_CLONE_ARGS = 'h',
	CALL_OPEN_HOW = '@',
};

/* Flags that create a file, from fcntl.h; CALL_O_TMPFILE is without
 * O_DIRECTORY, whose value depends on the architecture.
 */
#define CALL_O_CREAT 0100
#define CALL_O_TMPFILE 020000000

/* Returns whether @letter is the format of an address. */
bool call_value_is_address(char letter);

/* Writes @value in the format @letter, an enum call_value; addresses as
 * numbers. @is_arm: some flags have the values of arm64.
 */
void call_value_write(FILE *out, char letter, uint64_t value, bool is_arm);

/* Writes the value that the address in argument @number points to, in the
 * format @letter, as strace does. Returns false if it was not recorded.
 */
bool call_structure_write(FILE *out, char letter,
			  const struct call_items *items, uint8_t number,
			  bool is_arm);

/* Writes " ([{fd=3, revents=POLLIN}])", the result of poll(2), if it was
 * recorded.
 */
void call_poll_result_write(FILE *out, const struct call_items *items,
			    int64_t result);

/* Writes "<FILE>" if the descriptor's file was recorded. */
void call_descriptor_write(FILE *out, const struct call_items *items,
			   uint8_t number);

/* Writes names of bits in messages of poll and epoll: "POLLIN|POLLHUP". */
void call_poll_events_write(FILE *out, uint16_t events);
void call_epoll_events_write(FILE *out, uint32_t events);

/* Writes "SIGINT", or the number; flags of sigaction; the type and the
 * permissions of a file.
 */
void call_signal_write(FILE *out, int number);
void call_action_flags_write(FILE *out, uint64_t value);
void call_file_mode_write(FILE *out, uint32_t mode);

#endif
