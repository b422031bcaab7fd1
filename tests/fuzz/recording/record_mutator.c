/* SPDX-License-Identifier: MIT */
#include "tests/fuzz/recording/record_mutator.h"
#include "common/formats/perf_data.h"
#include "tests/fuzz/recording/all_writers.h"
#include "tests/fuzz/recording/packed_files.h"
#include "tests/fuzz/recording/record_change.h"
#include "tests/fuzz/recording/record_list.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Larger inputs take too long to be worth it. */
enum { INPUT_MOST = 1 << 17, OPTIONS = sizeof(struct writer_choice) };

/* One run: the changed data must stay valid until the input is written. */
struct run {
	struct mutation mutation;
	struct packed_files files;
	struct record_list list;
	uint8_t made[INPUT_MOST]; /* the file that changed */
	uint8_t options[OPTIONS];
	uint8_t out[INPUT_MOST];
};

static struct packed_file *pick_file(struct run *run)
{
	return &run->files.files[mutation_below(&run->mutation,
						run->files.count)];
}

static void replace(struct run *run, struct packed_file *file, size_t size)
{
	file->bytes = run->made;
	file->size = size;
}

/* A file of any kind. */
static void change_bytes(struct run *run, struct packed_file *file)
{
	if (file->size > INPUT_MOST)
		return;
	if (file->size)
		memcpy(run->made, file->bytes, file->size);
	replace(run, file,
		run->mutation.bytewise(run->made, file->size, INPUT_MOST));
}

static void set_option(struct run *run, size_t option, size_t value)
{
	struct packed_files *files = &run->files;
	const struct packed_file *options = packed_files_find(files, "options");
	size_t index = options ? (size_t)(options - files->files) :
				 files->count;

	if (index == PACKED_FILES_MOST)
		return;
	if (options)
		memcpy(run->options, options->bytes,
		       options->size < OPTIONS ? options->size : OPTIONS);
	else
		files->count++;
	run->options[option] = (uint8_t)value;
	files->files[index] = (struct packed_file){
		.name = "options",
		.bytes = run->options,
		.size = OPTIONS,
	};
}

static void change_options(struct run *run)
{
	set_option(run, mutation_below(&run->mutation, OPTIONS),
		   mutation_below(&run->mutation, 256));
}

/* Writing all outputs of a recording takes several times as long as most of its
 * parts: inputs made from one that selects no part select one.
 */
static void choose_part(struct run *run)
{
	if (!packed_files_find(&run->files, "options"))
		set_option(run, offsetof(struct writer_choice, part),
			   mutation_below(&run->mutation, 256));
}

static void change_records(struct run *run, struct packed_file *data)
{
	size_t times = 1 + mutation_below(&run->mutation, 4);
	size_t size;

	while (times--)
		record_change(&run->mutation, &run->list);
	size = record_list_write(&run->list, run->made, INPUT_MOST);
	if (size)
		replace(run, data, size);
}

static void change(struct run *run)
{
	const struct packed_file *found =
		packed_files_find(&run->files, "data");
	struct packed_file *data =
		found ? &run->files.files[found - run->files.files] : NULL;
	size_t choice = mutation_below(&run->mutation, 16);

	if (!choice)
		change_options(run);
	else if (data && choice > 4 &&
		 record_list_read(&run->list, data->bytes, data->size))
		change_records(run, data);
	else
		change_bytes(run, pick_file(run));
}

size_t record_mutator_run(uint8_t *bytes, size_t size, size_t room,
			  unsigned int seed, mutate_bytes *bytewise)
{
	struct run *run = malloc(sizeof(*run));
	size_t made = 0;

	if (!run)
		abort();
	memset(run->options, 0, OPTIONS);
	run->mutation = mutation_of(seed, bytewise);
	packed_files_read(&run->files, bytes, size);
	if (run->files.count && size <= INPUT_MOST) {
		change(run);
		choose_part(run);
		made = packed_files_write(&run->files, run->out, INPUT_MOST);
		mutation_end(&run->mutation);
	}
	if (made && made <= room)
		memcpy(bytes, run->out, made);
	free(run);
	return made && made <= room ? made : bytewise(bytes, size, room);
}

static bool read_data(struct record_list *list,
		      const struct packed_files *files)
{
	const struct packed_file *data = packed_files_find(files, "data");

	return data && record_list_read(list, data->bytes, data->size);
}

/* Inserts some of the second input's records, whose event ids may be unknown in
 * the first one.
 */
static void take_some(struct run *run, const struct record_list *others)
{
	size_t times = 1 + mutation_below(&run->mutation, 4);

	while (times--)
		record_list_insert(
			&run->list,
			mutation_below(&run->mutation, run->list.count + 1),
			others->records[mutation_below(&run->mutation,
						       others->count)]);
}

size_t record_mutator_cross(const uint8_t *first, size_t first_size,
			    const uint8_t *second, size_t second_size,
			    uint8_t *out, size_t room, unsigned int seed)
{
	struct run *run = malloc(sizeof(*run));
	struct record_list *others = malloc(sizeof(*others));
	struct packed_files files;
	size_t size = 0;

	if (!run || !others)
		abort();
	run->mutation = mutation_of(seed, NULL);
	packed_files_read(&run->files, first, first_size);
	packed_files_read(&files, second, second_size);
	if (read_data(&run->list, &run->files) && read_data(others, &files)) {
		const struct packed_file *data =
			packed_files_find(&run->files, "data");

		take_some(run, others);
		size = record_list_write(&run->list, run->made, INPUT_MOST);
		if (size)
			replace(run, &run->files.files[data - run->files.files],
				size);
		size = packed_files_write(&run->files, out, room);
	}
	free(others);
	free(run);
	return size;
}
