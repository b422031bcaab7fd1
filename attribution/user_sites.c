/* SPDX-License-Identifier: MIT */
#include "attribution/user_sites.h"

#include "attribution/known_events.h"
#include "attribution/table.h"
#include "attribution/table_rows.h"
#include "attribution/task_paths.h"
#include "attribution/task_time.h"
#include "attribution/task_work.h"
#include "attribution/witness.h"
#include "common/array.h"
#include "common/error.h"
#include "common/number_map.h"
#include "decoder/sideband.h"
#include "report/task_names.h"
#include "symbolize/symbols.h"
#include "symbolize/user_stack.h"

#include <stdlib.h>
#include <string.h>

/* A task's time in the kernel since it left user space. */
struct kernel_entry {
	bool is_open;
	struct user_site site;	/* as far as it is known; entries is 1 */
};

struct user_sites {
	struct witness witness;
	struct span_sink sink;
	const struct attribution_input *input;
	struct task_time *time;
	struct task_paths *paths;
	struct user_stack *stack;	/* NULL: none can be unwound */
	struct array entries;		/* struct kernel_entry by task index */
	struct array sites;		/* struct user_site */
	struct number_map *chains;	/* by hash: a site's index + 1 */
	struct array next;		/* size_t by site: another + 1 */
	int status;
};

static struct kernel_entry *entry_of(struct user_sites *sites, uint32_t index)
{
	while (sites->entries.count <= index)
		if (!array_add(&sites->entries)) {
			sites->status = -ERROR_MEMORY;
			return NULL;
		}
	return array_at(&sites->entries, index);
}

static uint64_t hash_of(const struct user_site *site)
{
	uint64_t hash = site->address * 0x9e3779b97f4a7c15;

	hash = (hash ^ (uint32_t)site->pid) * 0x9e3779b97f4a7c15;
	hash = (hash ^ site->caller_address) * 0x9e3779b97f4a7c15;
	return hash ^ (uint64_t)site->purpose << 32 ^ site->caller;
}

static bool is_same(const struct user_site *a, const struct user_site *b)
{
	return a->pid == b->pid && a->address == b->address &&
	       a->purpose == b->purpose && a->caller == b->caller &&
	       a->caller_address == b->caller_address;
}

static struct user_site *site_at(const struct user_sites *sites, size_t index)
{
	return array_at(&sites->sites, index);
}

/* Returns the site like @like, adding it without time if it is new. */
static struct user_site *find_site(struct user_sites *sites,
				   const struct user_site *like)
{
	uint64_t *chain = number_map_add(sites->chains, hash_of(like));
	struct user_site *site;
	size_t *next;

	if (!chain)
		return NULL;
	for (size_t i = *chain; i; i = *(size_t *)array_at(&sites->next, i - 1))
		if (is_same(site_at(sites, i - 1), like))
			return site_at(sites, i - 1);
	site = array_add(&sites->sites);
	next = site ? array_add(&sites->next) : NULL;
	if (!next)
		return NULL;
	*next = (size_t)*chain;
	*chain = sites->sites.count;
	*site = *like;
	site->entries = 0;
	memset(site->class_ns, 0, sizeof(site->class_ns));
	return site;
}

static void locate(const struct user_sites *sites, struct user_site *site,
		   uint64_t address)
{
	struct symbol symbol;

	symbols_find(sites->input->symbols, site->pid, address, &symbol);
	site->address = address;
	site->function = symbol.function;
	site->offset = address - symbol.start;
}

/* Bills the entry, which is over. */
static void bill(struct user_sites *sites, struct kernel_entry *entry)
{
	struct user_site *site = find_site(sites, &entry->site);

	entry->is_open = false;
	if (!site) {
		sites->status = -ERROR_MEMORY;
		return;
	}
	site->entries += entry->site.entries;
	for (int i = 0; i < TIME_CLASSES; i++)
		site->class_ns[i] += entry->site.class_ns[i];
}

static void take_span(struct span_sink *sink, const struct time_span *span)
{
	struct user_sites *sites = (struct user_sites *)(
		(char *)sink - offsetof(struct user_sites, sink));
	struct kernel_entry *entry = entry_of(sites, span->task->index);

	if (entry && entry->is_open && span->work_count)
		entry->site.class_ns[span->time_class] +=
			span->end_ns - span->begin_ns;
}

static const char *module_of(const struct user_sites *sites, uint32_t function)
{
	return function_at(symbols_functions(sites->input->symbols), function)
		->module;
}

/* Finds who called into the file that the site is in: the user code that is
 * traced lies below the entry at @depth.
 */
static void find_caller(const struct user_sites *sites, struct user_site *site,
			const struct path_frame *frames, uint32_t depth)
{
	uint32_t at;

	if (depth < 2)
		return;
	for (at = depth - 1; at > 0; at--)
		if (strcmp(module_of(sites, frames[at - 1].function),
			   module_of(sites, site->function)))
			break;
	if (!at)
		at = depth - 1;
	site->caller = frames[at - 1].function;
	site->caller_address = frames[at].return_address;
}

/* The same with the functions of an unwound stack, innermost first. */
static void find_unwound_caller(const struct user_sites *sites,
				struct user_site *site,
				const uint32_t *functions, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (strcmp(module_of(sites, functions[i]),
			   module_of(sites, site->function))) {
			site->caller = functions[i];
			return;
		}
	if (count > 1)
		site->caller = functions[1];
}

static bool is_user(const struct user_sites *sites, uint64_t address)
{
	return address &&
	       address < symbols_arch(sites->input->symbols)->kernel_start;
}

/* The instruction that enters lies before where it returns to; one that faults
 * is run again.
 */
static uint64_t site_address(const struct user_sites *sites,
			     const struct user_site *site, uint64_t place)
{
	if (site->purpose == (uint32_t)SITE_SYSTEM_CALL)
		place -= symbols_arch(sites->input->symbols)
				 ->system_call_bytes;
	return place;
}

static void begin_entry(struct user_sites *sites, const struct call_step *step,
			uint8_t kind)
{
	struct kernel_entry *entry = entry_of(sites, step->task->index);
	const struct path_frame *frames;
	size_t count;

	if (!entry)
		return;
	*entry = (struct kernel_entry){
		.is_open = table_wants(sites->input, step->task,
				       step->time_ns),
		.site = {
			.pid = step->task->pid,
			.purpose = (uint32_t)(kind == WORK_FAULT ?
						      SITE_PAGE_FAULT :
					      kind == WORK_EXCEPTION ?
						      SITE_EXCEPTION :
						      SITE_SYSTEM_CALL),
			.caller = FUNCTION_NONE,
			.entries = 1,
		},
	};
	if (!is_user(sites, step->place))
		return;
	locate(sites, &entry->site,
	       site_address(sites, &entry->site, step->place));
	frames = task_paths_of(sites->paths, step->task->index, &count);
	find_caller(sites, &entry->site, frames, step->depth);
}

/* The function that does the system call says which one it is. */
static void name_call(struct user_sites *sites, struct kernel_entry *entry,
		      uint32_t function)
{
	const struct symbols *symbols = sites->input->symbols;

	if (entry->site.purpose == (uint32_t)SITE_SYSTEM_CALL &&
	    arch_system_call(symbols_arch(symbols),
			     function_at(symbols_functions(symbols), function)
				     ->name))
		entry->site.purpose = function;
}

static void look_at(struct user_sites *sites, const struct call_step *step)
{
	struct kernel_entry *entry = entry_of(sites, step->task->index);
	const struct open_work *works;
	size_t count;

	if (!entry)
		return;
	works = task_time_works(sites->time, step->task->index, &count);
	if (entry->is_open && !count)
		bill(sites, entry);
	if (step->kind != STEP_ENTER)
		return;
	if (count == 1 && works->depth == step->depth &&
	    (works->kind == WORK_SYSTEM_CALL || works->kind == WORK_FAULT ||
	     works->kind == WORK_EXCEPTION))
		begin_entry(sites, step, works->kind);
	else if (entry->is_open)
		name_call(sites, entry, step->function);
}

static void take_step(struct witness *witness, const struct call_step *step)
{
	struct user_sites *sites = (struct user_sites *)witness;

	if (sites->status)
		return;
	task_time_step(sites->time, step);
	sites->status = task_paths_take(sites->paths, step);
	if (!sites->status)
		look_at(sites, step);
}

/* Returns the entry of the thread that @event is about, if its place is not
 * known yet.
 */
static struct kernel_entry *placeless(struct user_sites *sites,
				      const struct event_record *event)
{
	const struct task *task =
		task_paths_task(sites->paths, event->cpu, event->tid);
	struct kernel_entry *entry =
		task ? entry_of(sites, task->index) : NULL;

	return entry && entry->is_open && !entry->site.address ? entry : NULL;
}

static bool user_ip(const struct user_sites *sites,
		    const struct sideband_user_state *user, uint64_t *ip)
{
	const struct arch *arch = symbols_arch(sites->input->symbols);
	size_t place = 0;

	for (size_t i = 0; user->abi && i < arch->user_register_count; i++) {
		if (!(user->mask >> i & 1))
			continue;
		if (!strcmp(arch->user_registers[i], "ip") ||
		    !strcmp(arch->user_registers[i], "pc")) {
			memcpy(ip, user->registers + place * 8, sizeof(*ip));
			return true;
		}
		place++;
	}
	return false;
}

static void take_registers(struct user_sites *sites,
			   const struct event_record *event)
{
	enum { DEEPEST = 128 };
	struct kernel_entry *entry = placeless(sites, event);
	uint32_t functions[DEEPEST];
	uint64_t ip;

	if (!entry || !user_ip(sites, &event->sideband->sample.user, &ip))
		return;
	locate(sites, &entry->site,
	       ip - symbols_arch(sites->input->symbols)->system_call_bytes);
	if (sites->stack)
		find_unwound_caller(sites, &entry->site, functions,
				    user_stack_unwind(sites->stack,
						      event->sideband,
						      functions, DEEPEST));
}

static void take_event(struct witness *witness,
		       const struct event_record *event)
{
	struct user_sites *sites = (struct user_sites *)witness;
	struct kernel_entry *entry;

	if (sites->status)
		return;
	task_time_event(sites->time, event);
	if (event->event == EVENT_SYS_ENTER) {
		take_registers(sites, event);
	} else if (event->event == EVENT_PAGE_FAULT_USER) {
		entry = placeless(sites, event);
		if (entry && entry->site.purpose == (uint32_t)SITE_PAGE_FAULT)
			locate(sites, &entry->site,
			       (uint64_t)event->values[FAULT_IP]);
	}
}

static void take_record(struct witness *witness,
			const struct sideband_record *record)
{
	task_time_record(((struct user_sites *)witness)->time, record);
}

static bool open_parts(struct user_sites *sites)
{
	const struct attribution_input *input = sites->input;
	const struct task_time_options options = task_time_options_of(input);

	sites->time = task_time_new(&options, &sites->sink);
	sites->paths = task_paths_new();
	sites->chains = number_map_new();
	if (known_events_has_user_stacks(input->events))
		sites->stack = user_stack_new(input->recording,
					      input->symbols);
	return sites->time && sites->paths && sites->chains;
}

struct user_sites *user_sites_new(const struct attribution_input *input)
{
	struct user_sites *sites = calloc(1, sizeof(*sites));

	if (!sites)
		return NULL;
	sites->witness = (struct witness){
		.step = take_step,
		.event = take_event,
		.record = take_record,
	};
	sites->sink.take = take_span;
	sites->input = input;
	sites->entries = ARRAY_OF(struct kernel_entry);
	sites->sites = ARRAY_OF(struct user_site);
	sites->next = ARRAY_OF(size_t);
	if (open_parts(sites))
		return sites;
	user_sites_free(sites);
	return NULL;
}

void user_sites_free(struct user_sites *sites)
{
	if (!sites)
		return;
	task_time_free(sites->time);
	task_paths_free(sites->paths);
	number_map_free(sites->chains);
	user_stack_free(sites->stack);
	array_free(&sites->entries);
	array_free(&sites->sites);
	array_free(&sites->next);
	free(sites);
}

struct witness *user_sites_witness(struct user_sites *sites)
{
	return &sites->witness;
}

int user_sites_end(struct user_sites *sites)
{
	int status = task_time_end(sites->time);

	for (size_t i = 0; i < sites->entries.count; i++) {
		struct kernel_entry *entry = array_at(&sites->entries, i);

		if (entry->is_open)
			bill(sites, entry);
	}
	return status ? status : sites->status;
}

size_t user_sites_count(const struct user_sites *sites)
{
	return sites->sites.count;
}

const struct user_site *user_sites_at(const struct user_sites *sites,
				      size_t index)
{
	return site_at(sites, index);
}
