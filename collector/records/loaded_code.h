/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_LOADED_CODE_H
#define KT_COLLECTOR_LOADED_CODE_H

#include "common/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event_list;
struct kernel_copy;
struct kernel_symbols;
struct log;
struct output_folder;
struct perf_event_mmap_page;
struct ring_bytes;
struct tracer;

/* Code that is added to the kernel during a recording: modules, BPF programs,
 * classic BPF filters, trampolines, pages of kprobes and thunks. Each is stored
 * in a file of the recording (hexadecimal addresses, decimal nanoseconds of the
 * recording's clock):
 *
 * 	code/<first>-<end>-<time>		its bytes at <time>
 * 	code/<first>-<end>-<time>-<since>	the same bytes since <since>
 * 	code/<first>-<end>-<time>		empty: other code from then on
 *
 * decoder/code/code_change_internal.h defines the times for which a copy is
 * valid. Code that is removed before it can be read is counted as lost.
 *
 * 	announced by	code			known from
 * 	KSYMBOL		BPF, trampolines	its time
 * 	bpf_text_copy	classic BPF		its time: read a little later
 * 	module_load	modules			its time
 * 	module_load	other new pages		the time they were read
 * 	nothing						never: a gap
 */
struct loaded_code;

/* Prepares to copy code that is not in @copy yet, into the recording @folder.
 * Borrows @copy; @tracer and @page, which provide the time; @events, to which
 * the samples belong; and @log.
 *
 * Returns 0 and *@loaded, or a negative enum error with the reason in @log.
 */
int loaded_code_open(const struct output_folder *folder,
		     const struct kernel_copy *copy,
		     const struct tracer *tracer,
		     const struct perf_event_mmap_page *page,
		     const struct event_list *events, const struct log *log,
		     struct loaded_code **loaded);
void loaded_code_close(struct loaded_code *loaded);

/* Copies the code that dynamic_code_find() finds. The kernel's copy contains it
 * as well; these copies are for perf. Returns 0 or -ERROR_MEMORY.
 */
int loaded_code_existing(struct loaded_code *loaded,
			 const struct kernel_symbols *symbols);

/* A PERF_RECORD_KSYMBOL. */
struct loaded_symbol {
	uint64_t address;
	size_t size;
	uint64_t time_ns;
	bool is_removed;
};

/* Copies the code of @symbol, or counts it as lost if it is being removed and
 * was never copied.
 */
void loaded_code_symbol(struct loaded_code *loaded,
			const struct loaded_symbol *symbol);

/* Consumes a sample of RING_CODE or RING_PATCHES, @size bytes at @position of
 * @records: copies new modules with their init code, and adds them to the
 * recording's list of modules; marks removed modules; copies JIT code that is
 * complete, and leaves incomplete code to loaded_code_flush().
 */
void loaded_code_sample(struct loaded_code *loaded,
			const struct ring_bytes *records, size_t position,
			size_t size);

/* Copies the JIT code that samples announced and that is not known to be
 * complete. Waits for a millisecond first, since the kernel writes the code
 * after the sample. Must be called each time that all rings have been read.
 */
void loaded_code_flush(struct loaded_code *loaded);

/* Copies JIT code that still exists a second time, in case the kernel had not
 * finished writing it at the first. Copies executable pages that no record
 * announced, and counts them as late. Must be called at the end of the
 * recording, after its last sample.
 */
void loaded_code_finish(struct loaded_code *loaded);

/* Adds the symbols of the new modules to the recording's kallsyms, the code of
 * classic BPF filters to its kcore, and records that name those filters and ITS
 * thunks. If filters with different code had the same address, kcore gets none
 * of them. Should be called at the end of the recording, because reading the
 * kernel's kallsyms takes long, and adds megabytes of trace if the recorder's
 * CPU is recorded.
 */
void loaded_code_names(struct loaded_code *loaded);

/* Return the number of pieces of code that may have run before they were copied:
 * loaded_code_lost() of pieces that were never copied, loaded_code_late() of
 * pieces that were copied only at the end, because no record announced them.
 */
size_t loaded_code_lost(const struct loaded_code *loaded);
size_t loaded_code_late(const struct loaded_code *loaded);

/* Moves the records with the addresses of the new modules and the names of code
 * to the end of @bytes.
 */
void loaded_code_records(struct loaded_code *loaded, struct byte_buffer *bytes);

#endif
