/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LOADED_CODE_H
#define KT_COLLECTOR_LOADED_CODE_H

#include "common/byte_buffer.h"

#include <stddef.h>
#include <stdint.h>

struct kernel_copy;
struct kernel_symbols;
struct log;
struct output_folder;
struct perf_event_mmap_page;
struct tracer;

/* Code that the kernel gets while it is recorded: modules, BPF programs,
 * trampolines, pages of kprobes.  Each goes to a file
 * code/<first>-<end>-<time> of the recording (hexadecimal addresses, decimal
 * nanoseconds of the recording's clock): its bytes as they were at that time.
 */
struct loaded_code;

/* Begins with what @copy has, which is borrowed, as are @tracer, which tells
 * the time, and @page.
 *
 * Returns 0 and *@late, or a negative enum error with the reason in @log.
 */
int loaded_code_open(const struct output_folder *folder,
		     const struct kernel_copy *copy,
		     const struct tracer *tracer,
		     const struct perf_event_mmap_page *page,
		     const struct log *log, struct loaded_code **loaded);
void loaded_code_close(struct loaded_code *loaded);

/* Copies what dynamic_code_find() finds, which the kernel's copy has, too: for
 * perf.  Returns 0 or -ERROR_MEMORY.
 */
int loaded_code_existing(struct loaded_code *loaded,
			 const struct kernel_symbols *symbols);

/* Copies @size bytes at @address.  Code that is gone already is counted. */
void loaded_code_symbol(struct loaded_code *loaded, uint64_t address,
			size_t size);

/* Copies the modules that are new, with the code that only begins them, and
 * adds them to the recording's list of modules.
 */
void loaded_code_modules(struct loaded_code *loaded);

/* Adds the symbols of the new modules to the recording's kallsyms.  Reading
 * the kernel's takes long, and is megabytes of trace where the recorder's CPU
 * is recorded: for the end.
 */
void loaded_code_names(struct loaded_code *loaded);

/* Moves the records that place the new modules to the end of @bytes. */
void loaded_code_records(struct loaded_code *loaded, struct byte_buffer *bytes);

#endif
