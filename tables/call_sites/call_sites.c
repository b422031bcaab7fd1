/* SPDX-License-Identifier: MIT */
#include "tables/call_sites/call_sites_internal.h"

#include "attribution/events/event_handler.h"
#include "attribution/events/known_events.h"
#include "attribution/table_records.h"
#include "attribution/time/task_contexts.h"
#include "attribution/time/thread_tracker.h"
#include "attribution/time/wait_channels.h"
#include "attribution/trackers.h"
#include "common/bytes.h"
#include "common/container_of.h"
#include "common/error.h"
#include "common/files/cache_file.h"
#include "decoder/recording/sideband.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "symbolize/unwind/user_stack.h"
#include "tables/table.h"
#include "tables/text/table_rows.h"

#include "common/array.h"
#include <stdlib.h>
#include <string.h>

/* The user instructions that enter the kernel, attributed to functions that the
 * author of the program knows.
 *
 *	traced user code: the frames of the stack (name_by_frames())
 *	recorded user stack: unwound addresses (name_by_addresses())
 *	neither: the registers at the system call: its instruction alone
 *
 * Functions without a symbol and inner functions of libc are skipped: the site
 * is the innermost function with a name of its own (has_own_name()). Its caller
 * is the innermost function of the highest rank (rank_of()) on the rest of the
 * stack. If the entry of a user function was not traced, the frames below it
 * may have ended: then a recorded user stack is used if its caller has at least
 * the same rank.
 */

static bool is_purpose(uint32_t purpose, uint32_t functions)
{
	int32_t other = (int32_t)purpose;

	return purpose < functions ||
	       (other >= SITE_PAGE_FAULT && other <= SITE_SYSTEM_CALL);
}

void call_site_pack(struct pack *pack, struct call_site *site,
		    uint32_t functions)
{
	pack_u32(pack, &site->purpose);
	pack_u64(pack, &site->address);
	pack_u32(pack, &site->caller);
	pack_u32(pack, &site->function);
	pack_u64(pack, &site->caller_address);
	pack_u64(pack, &site->offset);
	table_records_pack_classes(pack, site->class_ns);
	pack_check(pack, is_purpose(site->purpose, functions));
	pack_check(pack,
		   site->caller == FUNCTION_NONE || site->caller < functions);
	pack_check(pack, site->function < functions);
	site->entries = 1;
}

/* Writes or reads a whole entry, which @task began at @begin_ns. */
static void call_site_pack_entry(struct pack *pack, struct task *task,
				 uint64_t *begin_ns, struct call_site *site,
				 uint32_t functions)
{
	task_pack_facts(pack, task);
	pack_u64(pack, begin_ns);
	call_site_pack(pack, site, functions);
	site->pid = task->pid;
	site->first_ns = *begin_ns;
}

/* Appends a finished entry to the records file. */
static void call_site_keep(struct cache_file_writer *writer,
			   const struct task *task, uint64_t begin_ns,
			   const struct call_site *site, uint32_t functions)
{
	const struct cached_span span = cached_span_of(begin_ns, begin_ns);
	struct task kept_task = *task;
	struct call_site kept = *site;

	call_site_pack_entry(cache_file_writer_pack(writer), &kept_task,
			     &begin_ns, &kept, functions);
	cache_file_writer_add(writer, &span);
}

/* Sets the instruction of @site to the one at @address, which @symbol covers.
 */
static void place(struct call_site *site, const struct symbol *symbol,
		  uint64_t address)
{
	site->address = address;
	site->function = symbol->function;
	site->offset = address - symbol->start;
}

/* Sets the instruction of @site to the one at @address. Uses the maps of
 * site->pid at site->first_ns.
 */
static void call_site_locate(struct call_site *site,
			     const struct symbols *symbols, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	place(site, &symbol, address);
}

void call_site_locate_call(struct call_site *site,
			   const struct symbols *symbols, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address - 1, &symbol);
	place(site, &symbol,
	      address - (symbol.is_t32 ?
				 T32_SYSTEM_CALL_BYTES :
				 symbols_arch(symbols)->system_call_bytes));
}

void call_site_locate_return(struct call_site *site,
			     const struct symbols *symbols, uint64_t address)
{
	if (site->purpose == (uint32_t)SITE_SYSTEM_CALL)
		call_site_locate_call(site, symbols, address);
	else
		call_site_locate(site, symbols, address);
}

bool call_site_find_entry(const struct symbols *symbols,
			  const struct path_frame *frames, uint32_t *depth)
{
	uint64_t kernel_start = symbols_arch(symbols)->kernel_start;

	while (*depth && frames[*depth].return_address >= kernel_start)
		--*depth;
	return frames[*depth].return_address &&
	       frames[*depth].return_address < kernel_start;
}

static bool is_same_file(const struct symbols *symbols, uint32_t a, uint32_t b)
{
	const struct function_table *functions = symbols_functions(symbols);

	return !strcmp(function_at(functions, a)->module,
		       function_at(functions, b)->module);
}

/* Returns whether @name is a function inside of libc that programs do not call:
 * in these, glibc 2.41 (nptl/cancellation.c) makes the system calls of
 * functions such as fsync().
 */
static bool is_inner_name(const char *name)
{
	static const char *const inner[] = {
		"__internal_syscall_cancel",
		"__syscall_cancel",
		"__syscall_cancel_arch",
	};

	for (size_t i = 0; i < sizeof(inner) / sizeof(*inner); i++)
		if (!strcmp(name, inner[i]))
			return true;
	return false;
}

/* Returns whether the author of a program knows the function by its name.
 * Functions without a symbol are named "[libc.so.6+0x8f2d4]".
 */
static bool has_own_name(const struct symbols *symbols, uint32_t function)
{
	const struct function *named =
		function_at(symbols_functions(symbols), function);

	return named->name[0] != '[' && !is_inner_name(named->base);
}

/* Sets the site's function to @function, and the offset to that of @address, a
 * byte of a call in it; to 0 if @address is not in @function, as after a jump.
 */
static void name_place(struct call_site *site, const struct symbols *symbols,
		       uint32_t function, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	site->function = function;
	site->offset = symbol.function == function ? address - symbol.start : 0;
}

/* Sets the site to the innermost function with a name of its own in the same
 * file. Returns the depth of the function that this one called, or @depth if
 * the site is unchanged.
 */
static uint32_t name_by_frames(struct call_site *site,
			       const struct symbols *symbols,
			       const struct path_frame *frames, uint32_t depth)
{
	if (has_own_name(symbols, site->function))
		return depth;
	for (uint32_t at = depth - 1;
	     at > 0 &&
	     is_same_file(symbols, frames[at - 1].function, site->function);
	     at--) {
		if (!has_own_name(symbols, frames[at - 1].function))
			continue;
		name_place(site, symbols, frames[at - 1].function,
			   frames[at].return_address ?
				   frames[at].return_address - 1 :
				   0);
		return at;
	}
	return depth;
}

/* Returns whether the file name of @path is that of a C or C++ library that
 * programs are linked with.
 */
static bool is_runtime_file(const char *path)
{
	static const char *const files[] = {
		"libc.so.",   "libpthread.so.", "libm.so.",
		"librt.so.",  "libstdc++.so.",	"libgcc_s.so.",
		"libc++.so.", "libc++abi.so.",	"ld-linux-",
	};
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (!strncmp(name, files[i], strlen(files[i])))
			return true;
	return false;
}

/* Returns whether @function is in the C or C++ library, or is an instance of a
 * template of it, such as "std::vector<int>::push_back".
 */
static bool is_of_runtime(const struct symbols *symbols, uint32_t function)
{
	const struct function *named =
		function_at(symbols_functions(symbols), function);

	return !strncmp(named->name, "std::", 5) ||
	       !strncmp(named->name, "__gnu_cxx::", 11) ||
	       is_runtime_file(named->module);
}

/* How useful a function on the stack is to the author of a program as the
 * origin of a system call, in rising order.
 */
enum caller_rank {
	CALLER_NONE,
	/* the file of the C or C++ library that entered the kernel */
	CALLER_SAME_FILE,
	CALLER_RUNTIME, /* another file of the C or C++ library */
	CALLER_PROGRAM,
};

static enum caller_rank rank_of(const struct call_site *site,
				const struct symbols *symbols,
				uint32_t function)
{
	if (function == FUNCTION_NONE)
		return CALLER_NONE;
	if (is_same_file(symbols, function, site->function) &&
	    is_of_runtime(symbols, site->function))
		return CALLER_SAME_FILE;
	return is_of_runtime(symbols, function) ? CALLER_RUNTIME :
						  CALLER_PROGRAM;
}

/* Sets the caller of @site to @function, in which @address is the return
 * address, if its rank is higher than @rank. Returns the higher rank.
 */
static enum caller_rank better_caller(struct call_site *site,
				      const struct symbols *symbols,
				      enum caller_rank rank, uint32_t function,
				      uint64_t address)
{
	enum caller_rank other = rank_of(site, symbols, function);

	if (other <= rank)
		return rank;
	site->caller = function;
	site->caller_address = address;
	return other;
}

void call_site_find_caller(struct call_site *site,
			   const struct symbols *symbols,
			   const struct path_frame *frames, uint32_t depth)
{
	enum caller_rank rank = CALLER_NONE;

	if (depth < 2)
		return;
	depth = name_by_frames(site, symbols, frames, depth);
	for (uint32_t at = depth - 1; at > 0 && rank != CALLER_PROGRAM; at--)
		rank = better_caller(site, symbols, rank,
				     frames[at - 1].function,
				     frames[at].return_address);
}

static uint32_t function_of(const struct symbols *symbols,
			    const struct call_site *site, uint64_t address)
{
	struct symbol symbol;

	symbols_find(symbols, site->pid, site->first_ns, address, &symbol);
	return symbol.function;
}

/* Like name_by_frames(), for unwound addresses. Returns the index of the frame
 * of the function that the site is set to.
 */
static size_t name_by_addresses(struct call_site *site,
				const struct symbols *symbols,
				const uint64_t *addresses, size_t count)
{
	uint32_t function;

	if (has_own_name(symbols, site->function))
		return 0;
	for (size_t i = 1; i < count; i++) {
		function = function_of(symbols, site, addresses[i]);
		if (!is_same_file(symbols, function, site->function))
			return 0;
		if (has_own_name(symbols, function)) {
			name_place(site, symbols, function, addresses[i]);
			return i;
		}
	}
	return 0;
}

void call_site_find_unwound(struct call_site *site,
			    const struct symbols *symbols,
			    const uint64_t *addresses, size_t count)
{
	size_t named = name_by_addresses(site, symbols, addresses, count);
	enum caller_rank rank = CALLER_NONE;

	/* Unwound addresses are those of the calls' last bytes. */
	for (size_t i = named + 1; i < count && rank != CALLER_PROGRAM; i++)
		rank = better_caller(site, symbols, rank,
				     function_of(symbols, site, addresses[i]),
				     addresses[i] + 1);
}

/* Returns whether the entry of a user function in @frames, below the kernel
 * entry at @depth, was not traced, as after a gap: the frames below it may have
 * ended.
 */
static bool is_broken(const struct path_frame *frames, uint32_t depth)
{
	for (uint32_t at = depth; at-- > 1;)
		if (frames[at].how == HOW_INFERRED ||
		    frames[at].how == HOW_START)
			return true;
	return false;
}

static bool is_instruction_pointer(const char *name)
{
	return !strcmp(name, "ip") || !strcmp(name, "pc");
}

/* Finds the address that the kernel returns to in the registers of a sample.
 * Returns false if the sample has none.
 */
static bool call_site_read_return(const struct sideband_user_state *user,
				  const struct symbols *symbols,
				  uint64_t *address)
{
	const struct arch *arch = symbols_arch(symbols);

	for (unsigned int i = 0; i < arch->user_register_count; i++)
		if (is_instruction_pointer(arch->user_registers[i]))
			return sideband_register(&user->registers, i, address);
	return false;
}

/* A task's time in the kernel since it left user space. */
struct kernel_entry {
	bool is_open;
	/* selected by the filter and window: added to the sums */
	bool is_wanted;
	/* serial number of the kernel context; functions on the exit path have
	 * the same number as the entry, so that they start no new entry
	 */
	uint64_t context;
	uint64_t begin_ns;
	const struct task *task;
	/* the trace does not have the whole user stack */
	bool is_broken;
	struct call_site site; /* as far as known; entries is 1 */
};

struct call_sites {
	struct event_handler handler;
	struct span_callback callback;
	const struct attribution_input *input;
	const struct thread_tracker *threads;
	const struct task_time *time;
	const struct task_paths *paths;
	struct user_stack *stack; /* NULL: cannot unwind */
	struct array entries;	  /* struct kernel_entry by task index */
	struct keyed_array sums;  /* struct call_site: the totals */
	struct cache_file_writer *writer; /* NULL: records are not written */
	int status;
};

static struct kernel_entry *entry_of(struct call_sites *sites, uint32_t index)
{
	struct kernel_entry *entry = array_reach(&sites->entries, index);

	if (!entry)
		sites->status = -ERROR_MEMORY;
	return entry;
}

static uint32_t functions_of(const struct call_sites *sites)
{
	return function_count(symbols_functions(sites->input->symbols));
}

static void add(struct call_sites *sites, const struct call_site *site)
{
	size_t count = sites->sums.items.count;
	struct call_site *sum = keyed_array_add(&sites->sums, site);

	if (!sum)
		sites->status = -ERROR_MEMORY;
	/* A new sum already is a copy of this entry. */
	if (sites->sums.items.count != count || !sum)
		return;
	sum->entries += site->entries;
	for (int i = 0; i < TIME_CLASSES; i++)
		sum->class_ns[i] += site->class_ns[i];
}

/* Charges a finished entry. */
static void charge(struct call_sites *sites, struct kernel_entry *entry)
{
	entry->is_open = false;
	if (sites->writer)
		call_site_keep(sites->writer, entry->task, entry->begin_ns,
			       &entry->site, functions_of(sites));
	if (entry->is_wanted)
		add(sites, &entry->site);
}

static void consume_span(struct span_callback *callback,
			 const struct time_span *span)
{
	struct call_sites *sites =
		container_of(callback, struct call_sites, callback);
	struct kernel_entry *entry = entry_of(sites, span->task->index);

	if (entry && entry->is_open && span->context_count)
		entry->site.class_ns[time_span_account(span)] +=
			span->end_ns - span->begin_ns;
}

static bool is_entry(const struct open_context *context)
{
	return context->kind == CONTEXT_SYSTEM_CALL ||
	       context->kind == CONTEXT_FAULT ||
	       context->kind == CONTEXT_EXCEPTION;
}

static uint32_t purpose_of(const struct open_context *context)
{
	if (context->kind == CONTEXT_FAULT)
		return (uint32_t)SITE_PAGE_FAULT;
	return context->kind == CONTEXT_EXCEPTION ? (uint32_t)SITE_EXCEPTION :
						    (uint32_t)SITE_SYSTEM_CALL;
}

static void begin_entry(struct call_sites *sites, struct kernel_entry *entry,
			const struct call_step *step,
			const struct open_context *context)
{
	const struct symbols *symbols = sites->input->symbols;
	bool is_wanted = table_wants(sites->input, step->task, step->time_ns);
	const struct path_frame *frames;
	uint32_t depth = step->depth;
	size_t count;

	*entry = (struct kernel_entry){
		.is_open = is_wanted || sites->writer,
		.is_wanted = is_wanted,
		.context = context->serial,
		.begin_ns = step->time_ns,
		.task = step->task,
		.site = {
			.pid = step->task->pid,
			.purpose = purpose_of(context),
			.caller = FUNCTION_NONE,
			.first_ns = step->time_ns,
			.entries = 1,
		},
	};
	frames = task_paths_of(sites->paths, step->task->index, &count);
	if (!call_site_find_entry(symbols, frames, &depth))
		return;
	call_site_locate_return(&entry->site, symbols,
				frames[depth].return_address);
	call_site_find_caller(&entry->site, symbols, frames, depth);
	entry->is_broken = entry->site.caller == FUNCTION_NONE ||
			   is_broken(frames, depth);
}

/* Sets the purpose of the entry once the function that implements its system
 * call is entered.
 */
static void name_call(struct call_sites *sites, struct kernel_entry *entry,
		      uint32_t function)
{
	const struct symbols *symbols = sites->input->symbols;

	if (entry->site.purpose == (uint32_t)SITE_SYSTEM_CALL &&
	    arch_system_call(
		    symbols_arch(symbols),
		    function_at(symbols_functions(symbols), function)->base))
		entry->site.purpose = function;
}

/* Starts or ends an entry if the thread's kernel context has changed. */
static void look_at(struct call_sites *sites, struct kernel_entry *entry,
		    const struct call_step *step)
{
	const struct open_context *contexts;
	size_t count;

	contexts = task_time_contexts(sites->time, step->task->index, &count);
	if (entry->is_open && (!count || contexts->serial != entry->context))
		charge(sites, entry);
	if (step->kind == STEP_ENTER && count == 1 &&
	    contexts->serial != entry->context && is_entry(contexts))
		begin_entry(sites, entry, step, contexts);
	else if (step->kind == STEP_ENTER && entry->is_open)
		name_call(sites, entry, step->function);
}

static void consume_step(struct event_handler *handler,
			 const struct call_step *step)
{
	struct call_sites *sites = (struct call_sites *)handler;
	struct kernel_entry *entry;

	entry = sites->status ? NULL : entry_of(sites, step->task->index);
	if (!entry)
		return;
	if (thread_tracker_has_changed(sites->threads))
		look_at(sites, entry, step);
	else if (step->kind == STEP_ENTER && entry->is_open)
		name_call(sites, entry, step->function);
}

/* While the system call of an open entry is unknown, every frame is needed: its
 * function is recognized by name. For everything else, the call events that the
 * thread tracker needs are enough.
 */
static void limit(const struct event_handler *handler,
		  const struct call_step *step, struct skip_limits *limits)
{
	const struct call_sites *sites = (const struct call_sites *)handler;
	const struct kernel_entry *entries = sites->entries.items;
	uint32_t index = step->task->index;

	if (index >= sites->entries.count ||
	    (entries[index].is_open &&
	     entries[index].site.purpose == (uint32_t)SITE_SYSTEM_CALL))
		limits->frames = UINT32_MAX;
}

/* Returns the open entry of the thread of @event, or NULL. */
static struct kernel_entry *open_entry(struct call_sites *sites,
				       const struct event_record *event)
{
	const struct task *task =
		task_time_task(sites->time, event->cpu, event->tid);
	struct kernel_entry *entry = task ? entry_of(sites, task->index) : NULL;

	return entry && entry->is_open ? entry : NULL;
}

static void consume_registers(struct call_sites *sites,
			      const struct event_record *event)
{
	enum { DEEPEST = 128 };
	const struct symbols *symbols = sites->input->symbols;
	struct kernel_entry *entry = open_entry(sites, event);
	uint64_t addresses[DEEPEST];
	uint64_t address;
	struct call_site site;

	if (!entry || (entry->site.address && !entry->is_broken) ||
	    !call_site_read_return(&event->sideband->sample.user, symbols,
				   &address))
		return;
	site = entry->site;
	site.caller = FUNCTION_NONE;
	site.caller_address = 0;
	call_site_locate_call(&site, symbols, address);
	if (sites->stack)
		call_site_find_unwound(
			&site, symbols, addresses,
			user_stack_addresses(sites->stack, event->sideband,
					     addresses, DEEPEST));
	if (rank_of(&site, symbols, site.caller) >=
	    rank_of(&entry->site, symbols, entry->site.caller))
		entry->site = site;
}

static void consume_event(struct event_handler *handler,
			  const struct event_record *event)
{
	struct call_sites *sites = (struct call_sites *)handler;
	struct kernel_entry *entry;

	if (sites->status)
		return;
	if (event->event == EVENT_SYS_ENTER) {
		consume_registers(sites, event);
	} else if (event->event == EVENT_PAGE_FAULT_USER) {
		entry = open_entry(sites, event);
		if (entry && !entry->site.address &&
		    entry->site.purpose == (uint32_t)SITE_PAGE_FAULT)
			call_site_locate(&entry->site, sites->input->symbols,
					 (uint64_t)event->values[FAULT_IP]);
	}
}

static bool open_parts(struct call_sites *sites)
{
	const struct attribution_input *input = sites->input;
	struct thread_tracker *threads = trackers_threads(input->trackers);

	sites->threads = threads;
	sites->time = thread_tracker_time(threads);
	sites->paths = thread_tracker_paths(threads);
	if (known_events_has_user_stacks(input->events))
		sites->stack = user_stack_new(input->recording, input->symbols);
	return sites->time && sites->paths &&
	       !trackers_follow(input->trackers, &sites->handler) &&
	       !thread_tracker_hand_spans(threads, &sites->callback,
					  TIME_WINDOW_ALL);
}

struct call_sites *call_sites_new(const struct attribution_input *input)
{
	struct call_sites *sites = calloc(1, sizeof(*sites));

	if (!sites)
		return NULL;
	sites->handler = (struct event_handler){
		.step = consume_step,
		.limit = limit,
		.event = consume_event,
	};
	sites->callback.consume = consume_span;
	sites->input = input;
	sites->entries = ARRAY_OF(struct kernel_entry);
	sites->sums = KEYED_ARRAY_OF(struct call_site, offset);
	if (open_parts(sites))
		return sites;
	call_sites_free(sites);
	return NULL;
}

void call_sites_free(struct call_sites *sites)
{
	if (!sites)
		return;
	keyed_array_free(&sites->sums);
	user_stack_free(sites->stack);
	array_free(&sites->entries);
	free(sites);
}

static void consume_record(struct event_handler *handler, struct pack *pack)
{
	struct call_sites *sites = (struct call_sites *)handler;
	struct call_site site = { 0 };
	struct task task = { 0 };
	uint64_t begin_ns = 0;

	call_site_pack_entry(pack, &task, &begin_ns, &site,
			     functions_of(sites));
	if (!pack->failed && table_wants(sites->input, &task, begin_ns))
		add(sites, &site);
}

int call_sites_end(struct call_sites *sites)
{
	for (size_t i = 0; i < sites->entries.count; i++) {
		struct kernel_entry *entry = array_at(&sites->entries, i);

		if (entry->is_open)
			charge(sites, entry);
	}
	return sites->status;
}

/* Ends the sites, so that all entries are cached. The status may be ignored:
 * the last call_sites_end() returns it again.
 */
static void keep_at_end(struct event_handler *handler)
{
	call_sites_end((struct call_sites *)handler);
}

const struct table_records call_site_records = {
	.name = "user_sites",
	.writer = offsetof(struct call_sites, writer),
	.keep_at_end = keep_at_end,
	.pack_rest = table_records_refer_to_nothing,
	.consume = consume_record,
	.wanted = table_records_begin_in,
};

size_t call_sites_count(const struct call_sites *sites)
{
	return sites->sums.items.count;
}

const struct call_site *call_sites_at(const struct call_sites *sites,
				      size_t index)
{
	return array_at(&sites->sums.items, index);
}
