/* SPDX-License-Identifier: MIT */
#ifndef KT_STORE_SQLITE_STORE_H
#define KT_STORE_SQLITE_STORE_H

struct log;
struct store_target;

enum sqlite_store_mode {
	SQLITE_STORE_READ,  /* it must be there */
	SQLITE_STORE_WRITE, /* it is made if it is not */
};

/* Opens the store in the file @path; both must outlive it.
 *
 * An upload is one transaction: it is there whole or not at all, whatever
 * happens (https://www.sqlite.org/atomiccommit.html).  What takes long in an
 * upload is one at a time; others wait for it.
 *
 * Returns NULL, having said why to @log.  Close it with its class's close().
 */
struct store_target *sqlite_store_open(const char *path,
				       enum sqlite_store_mode mode,
				       const struct log *log);

#endif
