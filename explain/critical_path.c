/* SPDX-License-Identifier: MIT */
#include "explain/critical_path_internal.h"

#include "common/maps.h"
#include "symbolize/functions/function_table.h"

#include <assert.h>
#include <string.h>

/* SLACK_NS: maximum error of two CPUs' clocks, by which a thread may seem to
 * fall asleep just before it wakes another one.
 */
enum {
	MOST_HOPS = 16,
	MOST_CAUSES = 16,
	SLACK_NS = 20000,
	/* A call that timed out counts as repeated if the thread slept again
	 * after at most this fraction (1/10) of the time that it had slept.
	 */
	MOST_RETRY_SHARE = 10,
};

struct walk {
	const struct path_options *options;
	uint32_t thread;
	uint64_t time_ns; /* the links after this time were emitted */
	int hops;	  /* changes of the thread at time_ns */
	struct path_cause causes[MOST_CAUSES];
	uint32_t cause_count;
	bool is_over;
	int status;
};

/* Returns how far back the walk may go in the current thread. */
static uint64_t floor_of(const struct walk *walk)
{
	const struct path_cause *last = walk->causes + walk->cause_count;

	return walk->cause_count &&
			       last[-1].since_ns > walk->options->begin_ns ?
		       last[-1].since_ns :
		       walk->options->begin_ns;
}

static uint64_t clip(const struct walk *walk, uint64_t time_ns)
{
	uint64_t floor_ns = floor_of(walk);

	return time_ns < floor_ns ? floor_ns : time_ns;
}

static void emit(struct walk *walk, struct path_link *link)
{
	if (!link->ns || walk->status < 0)
		return;
	assert(link->ns <= link->end_ns - link->begin_ns);
	link->thread = walk->thread;
	link->causes = walk->causes;
	link->cause_count = walk->cause_count;
	walk->status = walk->options->consume(walk->options->ctx, link);
}

/* Emits a link from @begin_ns to the walk's time, and moves the walk to
 * @begin_ns.
 */
static void emit_back_to(struct walk *walk, uint64_t begin_ns,
			 struct path_link *link)
{
	link->begin_ns = begin_ns;
	link->end_ns = walk->time_ns;
	link->ns = walk->time_ns - begin_ns;
	emit(walk, link);
	walk->time_ns = begin_ns;
	walk->hops = 0;
}

static const struct path_link unknown = {
	.kind = LINK_UNKNOWN,
	.certainty = LINK_NOT_KNOWN,
	.function = FUNCTION_NONE,
	.other = LIFE_NONE,
};

static enum link_kind kind_of_part(uint32_t kind)
{
	static const enum link_kind kinds[WORK_KINDS] = {
		[WORK_USER] = LINK_USER,	   [WORK_CALL] = LINK_CALL,
		[WORK_FAULT] = LINK_FAULT,	   [WORK_KERNEL] = LINK_KERNEL,
		[WORK_INTERRUPT] = LINK_INTERRUPT, [WORK_TRACER] = LINK_TRACER,
		[WORK_GUEST] = LINK_GUEST,
	};

	assert(kind < WORK_KINDS);
	return kinds[kind];
}

/* Returns @part_ns * @length / @whole, without overflow. */
static uint64_t share_of(uint64_t part_ns, uint64_t length, uint64_t whole)
{
	return (uint64_t)((unsigned __int128)part_ns * length / whole);
}

/* Emits the work of @row back to @begin_ns. If the walk enters or leaves the
 * row within it, each part gets its share of the time, and the first part what
 * remains.
 */
static void emit_parts(struct walk *walk, const struct life_row *row,
		       uint64_t begin_ns)
{
	const struct lives *lives = walk->options->lives;
	uint64_t length = walk->time_ns - begin_ns;
	uint64_t whole = row->end_ns - row->begin_ns;
	uint64_t left = length;

	for (uint32_t i = row->part_count; i-- > 0;) {
		const struct life_part *part =
			array_at(&lives->parts, row->first_part + i);
		struct path_link link = {
			.kind = kind_of_part(part->kind),
			.certainty = length == whole ? LINK_EXACT :
						       LINK_INFERRED,
			.begin_ns = begin_ns,
			.end_ns = walk->time_ns,
			.function = part->function,
			.other = LIFE_NONE,
		};

		link.count = (uint32_t)share_of(part->count, length, whole);
		link.ns = i ? share_of(part->ns, length, whole) : left;
		left -= link.ns;
		emit(walk, &link);
	}
	walk->time_ns = begin_ns;
	walk->hops = 0;
}

/* Emits @link, for the thread that had the CPU from @begin_ns on, in parts. A
 * part in which CPUs were idle, but none that the waiting thread was allowed to
 * use, is of the kind LINK_AFFINITY.
 */
static void emit_beside_idle(struct walk *walk, uint64_t begin_ns,
			     struct path_link *link)
{
	const struct time_window window = { begin_ns, walk->time_ns };
	struct array parts = ARRAY_OF(struct time_window);
	struct path_link forbidden = *link;
	int status = lives_forbidden(walk->options->lives, walk->thread, window,
				     &parts);

	forbidden.kind = LINK_AFFINITY;
	for (size_t i = parts.count; i-- > 0;) {
		const struct time_window *part = array_at(&parts, i);

		if (part->until_ns < walk->time_ns)
			emit_back_to(walk, part->until_ns, link);
		emit_back_to(walk, part->since_ns, &forbidden);
	}
	array_free(&parts);
	if (walk->time_ns > begin_ns)
		emit_back_to(walk, begin_ns, link);
	if (status < 0)
		walk->status = status;
}

/* Emits a link for the thread that had the CPU from @begin_ns on; @change NULL:
 * unknown.
 */
static void emit_runner(struct walk *walk, const struct life_switch *change,
			uint64_t begin_ns)
{
	struct path_link link = {
		.kind = LINK_CPU,
		.function = FUNCTION_NONE,
		.other = LIFE_NONE,
	};

	/* A switch to the waiting thread itself, before the end of its wait:
	 * the thread already ran, and the clocks of two CPUs differ.
	 */
	if (change && (change->is_idle || change->thread == walk->thread))
		link.kind = LINK_IDLE;
	else if (change)
		link.other = change->thread;
	if (!change)
		link.certainty = LINK_NOT_KNOWN;
	if (link.other != LIFE_NONE)
		emit_beside_idle(walk, begin_ns, &link);
	else
		emit_back_to(walk, begin_ns, &link);
}

static void wait_for_cpu(struct walk *walk, const struct life_row *row)
{
	uint64_t begin_ns = clip(walk, row->begin_ns);
	const struct array *list;
	size_t first = 0;
	size_t last = 0;

	list = lives_switches(walk->options->lives, row->detail, begin_ns,
			      &first);
	if (list)
		lives_switches(walk->options->lives, row->detail, walk->time_ns,
			       &last);
	while (list && list->count && walk->time_ns > begin_ns) {
		const struct life_switch *change = array_at(list, last);
		bool is_first = last == first;

		if (change->time_ns < walk->time_ns)
			emit_runner(walk, change,
				    change->time_ns > begin_ns ?
					    change->time_ns :
					    begin_ns);
		if (is_first)
			break;
		last--;
	}
	if (walk->time_ns > begin_ns)
		emit_runner(walk, NULL, begin_ns);
}

/* The kinds of devices that interrupts come from, by the functions that decided
 * to wake a thread, and by the handlers around them. Linux 5.10 to 6.15:
 * kernel/time/, block/, fs/buffer.c, mm/, net/core/, drivers of disks.
 */
static const struct name_rule interrupts[] = {
	{ "hrtimer_", true, LINK_TIMER },
	{ "process_timeout", false, LINK_TIMER },
	{ "run_timer_softirq", false, LINK_TIMER },
	{ "call_timer_fn", false, LINK_TIMER },
	{ "tmigr_handle_remote", false, LINK_TIMER },
	{ "it_real_fn", false, LINK_TIMER },
	{ "posix_timer_fn", false, LINK_TIMER },
	{ "timerfd_", true, LINK_TIMER },
	{ "delayed_work_timer_fn", false, LINK_TIMER },
	{ "asm_sysvec_apic_timer_interrupt", false, LINK_TIMER },
	{ "arch_timer_handler_", true, LINK_TIMER },
	{ "blk_", true, LINK_DISK },
	{ "bio_", true, LINK_DISK },
	{ "end_bio_", true, LINK_DISK },
	{ "end_buffer_", true, LINK_DISK },
	{ "end_page_", true, LINK_DISK },
	{ "folio_end_", true, LINK_DISK },
	{ "folio_unlock", false, LINK_DISK },
	{ "submit_bio_wait_endio", false, LINK_DISK },
	{ "virtblk_", true, LINK_DISK },
	{ "nvme_", true, LINK_DISK },
	{ "scsi_", true, LINK_DISK },
	{ "ata_", true, LINK_DISK },
	{ "ahci_", true, LINK_DISK },
	{ "mmc_", true, LINK_DISK },
	{ "net_rx_action", false, LINK_NETWORK },
	{ "net_tx_action", false, LINK_NETWORK },
	{ "sock_", true, LINK_NETWORK },
	{ "tcp_", true, LINK_NETWORK },
	{ "napi_", true, LINK_NETWORK },
};

/* Functions that slow a thread down by a sleep until a timer expires. Linux
 * 5.10 to 6.15: mm/.
 */
static const struct name_rule delays[] = {
	{ "mem_cgroup_handle_over_high", false, LINK_OVER_HIGH },
	{ "__mem_cgroup_handle_over_high", false, LINK_OVER_HIGH },
	{ "balance_dirty_pages", true, LINK_DIRTY },
	{ "congestion_wait", true, LINK_RECLAIM },
	{ "reclaim_throttle", false, LINK_RECLAIM },
	{ "throttle_direct_reclaim", false, LINK_RECLAIM },
};

static bool find_kind(const struct path_options *options,
		      const struct name_rule *rules, size_t count,
		      uint32_t function, enum link_kind *kind)
{
	const struct name_lookup lookup = name_lookup_of(rules, count);
	const struct name_rule *rule;

	if (function >= function_count(options->functions))
		return false;
	rule = name_lookup_find(
		&lookup, function_at(options->functions, function)->base);
	if (rule)
		*kind = (enum link_kind)rule->value;
	return rule;
}

/* Returns whether the current thread, a kernel thread, works for a thread that
 * waits for a disk. An interrupt that completes disk I/O may only queue work
 * for such a kernel thread.
 */
static bool helps_io(const struct walk *walk)
{
	const struct path_cause *last = walk->causes + walk->cause_count;

	return walk->cause_count && last[-1].kind == CAUSE_HELPER &&
	       last[-1].sleep->is_io;
}

static enum link_kind kind_of_interrupt(const struct walk *walk,
					const struct life_sleep *sleep)
{
	const size_t count = sizeof(interrupts) / sizeof(*interrupts);
	const struct path_options *options = walk->options;
	enum link_kind kind = LINK_DEVICE;

	find_kind(options, interrupts, count, sleep->wake_function, &kind);
	if (kind != LINK_TIMER && (sleep->is_io || helps_io(walk)))
		return LINK_DISK;
	if (kind == LINK_DEVICE)
		find_kind(options, interrupts, count, sleep->interrupt, &kind);
	if (kind == LINK_TIMER)
		find_kind(options, delays, sizeof(delays) / sizeof(*delays),
			  sleep->label, &kind);
	return kind;
}

static void end_sleep(struct walk *walk, const struct life_row *row,
		      enum link_kind kind, enum link_certainty certainty)
{
	struct path_link link = {
		.kind = kind,
		.certainty = certainty,
		.function = FUNCTION_NONE,
		.other = LIFE_NONE,
		.sleep = lives_sleep(walk->options->lives, row),
	};

	emit_back_to(walk, clip(walk, row->begin_ns), &link);
}

static bool has_name(const struct path_options *options, uint32_t function,
		     const char *part)
{
	return function < function_count(options->functions) &&
	       strstr(function_at(options->functions, function)->base, part);
}

/* Returns whether @sleep waited for a lock of the kernel, or of files:
 * kernel/locking/, fs/locks.c.
 */
static bool is_for_lock(const struct path_options *options,
			const struct life_sleep *sleep)
{
	return has_name(options, sleep->inner, "mutex") ||
	       has_name(options, sleep->inner, "rwsem") ||
	       has_name(options, sleep->inner, "down_") ||
	       has_name(options, sleep->label, "locks_lock_inode_wait") ||
	       has_name(options, sleep->label, "do_lock_file_wait") ||
	       has_name(options, sleep->label, "fcntl_setlk") ||
	       has_name(options, sleep->label, "flock_") ||
	       has_name(options, sleep->label, "posix_lock_");
}

/* Returns whether @sleep waited for a futex (kernel/futex/) that may be a lock.
 * A thread that joins another one also waits for a futex, which is not a lock.
 */
static bool is_for_futex(const struct path_options *options,
			 const struct life_sleep *sleep)
{
	return !sleep->is_exit && sleep->futex != FUTEX_SIGNAL &&
	       has_name(options, sleep->label, "futex_");
}

/* Returns the previous sleep of @life if @row repeats it: if it was in the same
 * system call, @call, a timer ended it, and the thread did little before it
 * slept again. Otherwise returns NULL.
 */
static const struct life_row *timed_out(const struct walk *walk,
					const struct life *life,
					const struct life_row *row,
					uint32_t call)
{
	const struct life_row *first = life->rows.items;
	const struct life_row *before = row;
	const struct life_sleep *sleep;

	while (before > first && before[-1].end_ns == before->begin_ns) {
		before--;
		if (before->kind == LIFE_SLEEPS)
			break;
	}
	sleep = before < row ? lives_sleep(walk->options->lives, before) : NULL;
	return sleep && sleep->call == call &&
			       sleep->wake == WAKE_BY_INTERRUPT &&
			       kind_of_interrupt(walk, sleep) == LINK_TIMER &&
			       row->begin_ns - before->end_ns <=
				       (before->end_ns - before->begin_ns) /
					       MOST_RETRY_SHARE ?
		       before :
		       NULL;
}

/* Returns the start of the wait that ended with @row. Calls that time out and
 * are repeated, as programs do with poll(), count as one wait.
 */
static uint64_t wait_begin(const struct walk *walk, const struct life_row *row,
			   const struct life_sleep *sleep)
{
	const struct life *life = lives_at(walk->options->lives, walk->thread);

	while (sleep->call != FUNCTION_NONE) {
		const struct life_row *before =
			timed_out(walk, life, row, sleep->call);

		if (!before)
			break;
		row = before;
	}
	return row->begin_ns;
}

/* Records why the walk enters the thread of @sleep's waker. The walk will leave
 * that thread at the start of the wait.
 */
static void push(struct walk *walk, const struct life_row *row,
		 const struct life_sleep *sleep, enum cause_kind kind)
{
	const struct path_cause cause = {
		.kind = kind,
		.waiter = walk->thread,
		.actor = sleep->waker,
		.since_ns = clip(walk, wait_begin(walk, row, sleep)),
		.sleep = sleep,
	};

	walk->causes[walk->cause_count++] = cause;
}

/* Drops the innermost causes that are threads outside the command, because the
 * walk enters a thread of the command that these waited for. Otherwise the walk
 * would leave it at the start of the sleep that the causes explain.
 */
static void return_to_command(struct walk *walk)
{
	while (walk->cause_count &&
	       (walk->causes[walk->cause_count - 1].kind == CAUSE_REPLY ||
		walk->causes[walk->cause_count - 1].kind == CAUSE_HELPER))
		walk->cause_count--;
}

static void go_to_waker(struct walk *walk, const struct life_row *row,
			const struct life_sleep *sleep)
{
	const struct path_options *options = walk->options;
	void *ctx = options->ctx;

	if (options->is_kernel(ctx, sleep->waker))
		push(walk, row, sleep, CAUSE_HELPER);
	else if (is_for_lock(options, sleep))
		push(walk, row, sleep, CAUSE_LOCK);
	else if (!options->is_chosen(ctx, sleep->waker))
		push(walk, row, sleep, CAUSE_REPLY);
	else if (is_for_futex(options, sleep))
		push(walk, row, sleep,
		     sleep->futex == FUTEX_LOCK ? CAUSE_LOCK : CAUSE_FUTEX);
	else
		return_to_command(walk);
	walk->thread = sleep->waker;
	walk->hops++;
}

static bool can_go_to_waker(const struct walk *walk, const struct life_row *row,
			    const struct life_sleep *sleep)
{
	const struct life *waker = lives_at(walk->options->lives, sleep->waker);

	return waker && life_before(waker, walk->time_ns) &&
	       row->end_ns <= walk->time_ns && walk->hops < MOST_HOPS &&
	       walk->cause_count < MOST_CAUSES && sleep->waker != walk->thread;
}

static void leave_sleep(struct walk *walk, const struct life_row *row)
{
	const struct life_sleep *sleep = lives_sleep(walk->options->lives, row);
	enum link_certainty certainty = LINK_EXACT;

	if (sleep && sleep->is_guessed)
		certainty = LINK_INFERRED;
	if (walk->hops && row->end_ns > walk->time_ns &&
	    walk->time_ns - row->begin_ns < SLACK_NS)
		end_sleep(walk, row, LINK_KERNEL, LINK_INFERRED);
	else if (sleep && sleep->wake == WAKE_BY_INTERRUPT)
		end_sleep(walk, row, kind_of_interrupt(walk, sleep), certainty);
	else if (sleep && sleep->wake == WAKE_BY_THREAD &&
		 can_go_to_waker(walk, row, sleep))
		go_to_waker(walk, row, sleep);
	else
		end_sleep(walk, row, LINK_WAIT, LINK_NOT_KNOWN);
}

static void follow_row(struct walk *walk, const struct life_row *row)
{
	uint64_t begin_ns = clip(walk, row->begin_ns);
	struct path_link link = unknown;

	switch ((enum life_kind)row->kind) {
	case LIFE_RUNS:
		emit_parts(walk, row, begin_ns);
		return;
	case LIFE_READY:
		wait_for_cpu(walk, row);
		return;
	case LIFE_THROTTLED:
	case LIFE_RECORDER:
		link.kind = row->kind == LIFE_RECORDER ? LINK_RECORDER :
							 LINK_THROTTLED;
		link.certainty = LINK_EXACT;
		emit_back_to(walk, begin_ns, &link);
		return;
	case LIFE_SLEEPS:
		leave_sleep(walk, row);
		return;
	case LIFE_UNKNOWN:
		link.reason = row->reason;
		emit_back_to(walk, begin_ns, &link);
		return;
	}
}

/* Moves the walk where no row of its thread reaches its time: to the parent if
 * the thread was created at that time, otherwise back over the hole with an
 * unknown link. Ends the walk if nothing is known before.
 */
static void leave_life(struct walk *walk, const struct life *life,
		       const struct life_row *row)
{
	const struct path_options *options = walk->options;
	const struct life_birth *birth = life_birth_by(life, walk->time_ns);
	bool is_new = birth && (!row || birth->time_ns >= row->end_ns);
	struct path_link link = unknown;

	if (is_new && birth->time_ns < walk->time_ns)
		emit_back_to(walk, clip(walk, birth->time_ns), &link);
	else if (is_new && lives_at(options->lives, birth->parent) &&
		 (walk->cause_count ||
		  options->is_chosen(options->ctx, birth->parent)) &&
		 walk->hops < MOST_HOPS) {
		walk->thread = birth->parent;
		walk->hops++;
	} else if (walk->cause_count)
		emit_back_to(walk, floor_of(walk), &link);
	else if (row && !is_new)
		emit_back_to(walk, clip(walk, row->end_ns), &link);
	else
		walk->is_over = true;
}

static void step_back(struct walk *walk)
{
	const struct life *life = lives_at(walk->options->lives, walk->thread);
	const struct life_row *row = life ? life_before(life, walk->time_ns) :
					    NULL;

	/* Return to the thread that waited for the current one. */
	if (walk->cause_count && walk->time_ns <= floor_of(walk)) {
		walk->thread = walk->causes[--walk->cause_count].waiter;
		return;
	}
	if (!life)
		walk->is_over = true;
	else if (row && row->end_ns >= walk->time_ns)
		follow_row(walk, row);
	else
		leave_life(walk, life, row);
}

int critical_path_walk(const struct path_options *options, uint64_t *begin_ns)
{
	struct walk walk = {
		.options = options,
		.thread = options->thread,
		.time_ns = options->end_ns,
	};

	if (options->cause)
		walk.causes[walk.cause_count++] = *options->cause;
	while (!walk.is_over && walk.status >= 0 &&
	       walk.time_ns > options->begin_ns)
		step_back(&walk);
	*begin_ns = walk.time_ns;
	return walk.status;
}
