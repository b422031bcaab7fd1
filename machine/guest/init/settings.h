/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_SETTINGS_H
#define KT_MACHINE_GUEST_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/guest/init/problem.h"

#define SETTINGS_RESULTS_MAX 16
#define SETTINGS_KEEP_MAX 16

/* The host's settings of a boot, from "key=value" strings:
 *   arg=TEXT        an argument of the command, in order
 *   env=NAME=TEXT   an environment variable
 *   cwd=PATH        the working directory
 *   results=PATH    a host folder, writable at the same path; its 9p tag is
 *                   "results" and its number, from 0
 *   host=PATH       the root is not the host's, which is at PATH, read-only
 *   modules=PATH    the kernel's modules as a folder of the host
 *   tty=1           a terminal instead of three pipes
 *   delay=N         milliseconds of each request to the disk
 *   late=1          results stay in memory and are copied to the host after
 *                   the command has ended
 *   keep=PATH       files that the command writes below this folder of the
 *                   host are copied there at the end; its 9p tag is "keep"
 *                   and its number, from 0
 *   written=1       at the end, the host receives a list of written files
 *   link=SIDE       the network device is connected to another machine, and
 *                   this machine is the "left" or the "right" one
 *   disk=1, net=1, truth=1   further things to prepare
 */
struct settings {
	char **args; /* terminated by NULL */
	size_t arg_count;
	char **env; /* terminated by NULL */
	size_t env_count;
	char *cwd;
	char *host;
	char *modules;
	char *results[SETTINGS_RESULTS_MAX];
	size_t results_count;
	char *keep[SETTINGS_KEEP_MAX];
	size_t keep_count;
	char *link;
	unsigned int disk_delay_ms;
	bool tty;
	bool late_results;
	bool written;
	bool disk;
	bool net;
	bool truth;
};

/* Parses a string of @length bytes, which is copied. Returns 0, or -1 with the
 * problem.
 */
int settings_add(struct settings *settings, const char *text, size_t length,
		 struct problem *problem);

/* Reads strings terminated by zero bytes from a file. Returns 0, or -1 with the
 * problem.
 */
int settings_read(struct settings *settings, const char *path,
		  struct problem *problem);

#endif
