/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_space.h"
#include "common/array.h"
#include "common/error.h"
#include "decoder/code/code_change.h"
#include "decoder/code/code_view.h"
#include "decoder/code/process_maps.h"
#include "decoder/code/process_view.h"
#include "decoder/code/user_code.h"
#include "decoder/flow/flow_source.h"
#include "decoder/recording/recording.h"

#include <stdlib.h>
#include <string.h>

/* The mappings of one process, unchanged. */
struct program {
	struct array maps; /* struct process_map */
	int32_t pid;
};

struct code_space {
	struct flow_input input;
	uint64_t kernel_start;
	struct code_view *view;
	struct process_view *processes; /* NULL: only the kernel is traced */
	struct user_code *user_code;	/* NULL as well */
	struct array programs; /* struct program; space 1 is the first */
	uint32_t space;	       /* of the running program */
	bool has_time;
	bool by_trace; /* see code_space_order_by_trace() */
};

static struct program *program_at(const struct code_space *code, uint32_t space)
{
	return array_at(&code->programs, space - 1);
}

static int copy_maps(struct array *copy, const struct array *maps)
{
	*copy = ARRAY_OF(struct process_map);
	for (size_t i = 0; i < maps->count; i++)
		if (array_append(copy, array_at(maps, i)) < 0)
			return -ERROR_MEMORY;
	return 0;
}

static bool is_program(const struct program *program, int32_t pid,
		       const struct array *maps)
{
	return program->pid == pid &&
	       process_maps_are_same(&program->maps, maps);
}

/* Returns the space of process @pid with @maps, 0 if there is none. Possible
 * images of a process may alternate, so older spaces of it count, too.
 */
static uint32_t find_space(const struct code_space *code, int32_t pid,
			   const struct array *maps)
{
	if (code->space <= code->programs.count &&
	    is_program(program_at(code, code->space), pid, maps))
		return code->space;
	for (uint32_t i = (uint32_t)code->programs.count; i > 0; i--)
		if (is_program(program_at(code, i), pid, maps))
			return i;
	return 0;
}

/* Sets the space to the one of the current mappings. */
static int set_space(struct code_space *code)
{
	const struct array *maps = process_view_maps(code->processes);
	int32_t pid = process_view_pid(code->processes);
	uint32_t space = find_space(code, pid, maps);
	struct program *program;

	if (!space) {
		program = array_add(&code->programs);
		if (!program || copy_maps(&program->maps, maps) < 0)
			return -ERROR_MEMORY;
		program->pid = pid;
		space = (uint32_t)code->programs.count;
	}
	code->space = space;
	user_code_set_maps(code->user_code, &program_at(code, space)->maps);
	return 0;
}

/* Without times, the mappings at the end are the best guess: those after exec.
 */
static int begin_space(struct code_space *code)
{
	if (!code->has_time && process_view_go_to_end(code->processes) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

int code_space_open(const struct flow_input *input, uint64_t kernel_start,
		    enum code_view_place place, struct code_space **opened)
{
	struct code_space *code = calloc(1, sizeof(*code));
	int error;

	if (!code)
		return -ERROR_MEMORY;
	code->input = *input;
	code->kernel_start = kernel_start;
	code->has_time = recording_time(input->recording) ==
			 RECORDING_TIME_NANOSECONDS;
	code->programs = ARRAY_OF(struct program);
	/* A snapshot does not report which program its user memory belongs to.
	 */
	code->space = CODE_SPACE_KERNEL + 1;
	error = code_view_open(input->image, place, &code->view);
	if (!error && recording_traces_user(input->recording)) {
		code->processes =
			process_view_new(input->recording, input->stream);
		code->user_code = user_code_new();
		error = -ERROR_MEMORY;
		if (code->processes && code->user_code)
			error = begin_space(code);
	}
	if (error) {
		code_space_close(code);
		return error;
	}
	*opened = code;
	return 0;
}

void code_space_close(struct code_space *code)
{
	if (!code)
		return;
	for (uint32_t i = 1; i <= code->programs.count; i++)
		array_free(&program_at(code, i)->maps);
	array_free(&code->programs);
	process_view_free(code->processes);
	user_code_free(code->user_code);
	code_view_close(code->view);
	free(code);
}

void code_space_order_by_trace(struct code_space *code)
{
	code->by_trace = code->processes && code->has_time;
	if (code->by_trace)
		process_view_order_by_trace(code->processes);
}

int code_space_enter(struct code_space *code, const struct process_entry *entry)
{
	if (!code->by_trace)
		return 0;
	if (process_view_enter(code->processes, entry) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

uint64_t code_space_floor_ns(const struct code_space *code)
{
	return code->by_trace ? process_view_floor_ns(code->processes) : 0;
}

uint64_t code_space_next_change_ns(const struct code_space *code)
{
	uint64_t code_ns = code_view_next_change_ns(code->view);
	uint64_t process_ns = UINT64_MAX;

	if (!code->has_time)
		return UINT64_MAX;
	if (code->processes)
		process_ns = process_view_next_change_ns(code->processes);
	return code_ns < process_ns ? code_ns : process_ns;
}

bool code_space_is_due(const struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns)
{
	if (!code->has_time)
		return false;
	return time_ns >= code_view_next_change_ns(code->view) ||
	       (code->processes &&
		process_view_is_due(code->processes, low_ns, time_ns));
}

int code_space_advance(struct code_space *code, uint64_t low_ns,
		       uint64_t time_ns, code_space_changed *changed, void *ctx)
{
	const struct code_change *change;

	while ((change = code_view_next_change(code->view)) &&
	       change->time_ns <= time_ns) {
		if (code_view_make_change(code->view) < 0)
			return -ERROR_MEMORY;
		if (changed)
			changed(ctx, change->address,
				change->address + change->new_size);
	}
	if (!code->processes ||
	    !process_view_is_due(code->processes, low_ns, time_ns))
		return 0;
	if (process_view_advance(code->processes, low_ns, time_ns) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

int code_space_set_process(struct code_space *code, int32_t pid,
			   uint64_t time_ns)
{
	if (!code->processes)
		return 0;
	if (!code->has_time)
		time_ns = UINT64_MAX;
	if (process_view_set_process(code->processes, pid, time_ns) < 0)
		return -ERROR_MEMORY;
	return set_space(code);
}

/* Reverts the changes of kernel code that are later than @time_ns. */
static void go_back(struct code_space *code, uint64_t time_ns,
		    code_space_changed *changed, void *ctx)
{
	const struct code_change *change;

	while ((change = code_view_last_change(code->view)) &&
	       change->time_ns > time_ns) {
		uint64_t size = change->old_size > change->new_size ?
					change->old_size :
					change->new_size;

		code_view_undo_change(code->view);
		if (changed)
			changed(ctx, change->address, change->address + size);
	}
}

/* Goes back to the start. */
static int rewind_processes(struct code_space *code)
{
	process_view_free(code->processes);
	code->processes =
		process_view_new(code->input.recording, code->input.stream);
	if (code->processes && code->by_trace)
		process_view_order_by_trace(code->processes);
	return code->processes ? 0 : -ERROR_MEMORY;
}

int code_space_sync(struct code_space *code, uint64_t low_ns, uint64_t high_ns)
{
	int status;

	if (!code->by_trace)
		return 0;
	status = process_view_sync(code->processes, low_ns, high_ns);
	if (!status) {
		if (rewind_processes(code) < 0)
			return -ERROR_MEMORY;
		status = process_view_sync(code->processes, low_ns, high_ns);
	}
	return status < 0 ? status : set_space(code);
}

int code_space_go_to(struct code_space *code, uint64_t time_ns,
		     code_space_changed *changed, void *ctx)
{
	int status = 1;

	go_back(code, time_ns, changed, ctx);
	if (code->processes)
		status = process_view_go_back(code->processes, time_ns);
	if (!status)
		status = rewind_processes(code);
	if (status < 0)
		return status;
	if (code->processes && set_space(code) < 0)
		return -ERROR_MEMORY;
	return code_space_advance(code, time_ns, time_ns, changed, ctx);
}

uint32_t code_space_of(const struct code_space *code, uint64_t address)
{
	return address >= code->kernel_start ? CODE_SPACE_KERNEL : code->space;
}

int32_t code_space_pid(const struct code_space *code)
{
	return code->processes ? process_view_pid(code->processes) : -1;
}

const uint8_t *code_space_bytes(struct code_space *code, uint64_t address,
				size_t *left)
{
	const uint8_t *bytes = code_view_bytes(code->view, address, left);

	if (!bytes && code->user_code)
		bytes = user_code_bytes(code->user_code, address, left);
	return bytes;
}

size_t code_space_copy(struct code_space *code, uint64_t address,
		       uint8_t *bytes, size_t size)
{
	size_t done = 0;

	while (done < size) {
		size_t left;
		const uint8_t *piece =
			code_space_bytes(code, address + done, &left);

		if (!piece)
			break;
		if (left > size - done)
			left = size - done;
		memcpy(bytes + done, piece, left);
		done += left;
	}
	return done;
}

int code_space_pieces(const struct code_space *code, struct array *pieces)
{
	return code_view_pieces(code->view, pieces);
}

const struct array *code_space_maps(const struct code_space *code)
{
	return code->processes ? &program_at(code, code->space)->maps : NULL;
}

bool code_space_is_mapped(const struct code_space *code, uint64_t address)
{
	const struct array *maps;

	if (address >= code->kernel_start)
		return true;
	maps = code_space_maps(code);
	for (size_t i = 0; maps && i < maps->count; i++) {
		const struct process_map *map = array_at(maps, i);

		if (address - map->address < map->size_bytes)
			return true;
	}
	return false;
}

bool code_space_is_unknown(const struct code_space *code, uint64_t address)
{
	return code_view_is_unknown(code->view, address);
}
