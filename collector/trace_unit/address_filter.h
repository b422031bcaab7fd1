/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_ADDRESS_FILTER_H
#define KT_COLLECTOR_ADDRESS_FILTER_H

struct byte_buffer;
struct kernel_symbols;
struct log;

/* Translates @text, a list such as "vfs_read,0xffffffff81000000/0x100", into
 * the format of PERF_EVENT_IOC_SET_FILTER, and appends it with a NUL to
 * @filter. A function stands for its whole range; a range is address/size or
 * first-end, where end is the first byte after it; numbers are written as in C.
 *
 * At most @limit ranges are allowed: the number of the trace unit's
 * comparators. Returns 0; -ERROR_FORMAT, -ERROR_NOT_FOUND or -ERROR_UNSUPPORTED
 * with the reason in @log; -ERROR_MEMORY.
 */
int address_filter_parse(const char *text, const struct kernel_symbols *symbols,
			 unsigned int limit, const struct log *log,
			 struct byte_buffer *filter);

#endif
