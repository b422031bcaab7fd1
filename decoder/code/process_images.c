/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "decoder/code/process_images_internal.h"
#include "decoder/code/process_maps.h"

enum { MOST_IMAGES = 1024 };

const struct process_image *
process_images_at(const struct process_images *images, size_t index)
{
	return array_at(&images->items, index);
}

void process_images_free(struct process_images *images)
{
	for (size_t i = 0; i < images->items.count; i++) {
		struct process_image *image = array_at(&images->items, i);

		array_free(&image->maps);
	}
	array_free(&images->items);
}

/* Appends the image of @pid at @time_ns. Returns the time when the next image
 * starts, 0 when out of memory.
 */
static uint64_t load_image(struct process_images *images,
			   const struct process_maps *maps, int32_t pid,
			   uint64_t time_ns)
{
	struct process_image *image = array_add(&images->items);

	if (!image)
		return 0;
	image->pid = pid;
	image->from_ns = time_ns;
	image->maps = ARRAY_OF(struct process_map);
	image->program_ns = process_maps_program_ns(maps, pid, time_ns);
	image->to_ns = process_maps_at(maps, pid, time_ns, &image->maps);
	return image->to_ns;
}

int process_images_load(struct process_images *images,
			const struct process_maps *maps,
			const struct array *pids, uint64_t low_ns,
			uint64_t high_ns)
{
	process_images_free(images);
	*images = (struct process_images){
		.items = ARRAY_OF(struct process_image),
		.low_ns = low_ns,
		.high_ns = high_ns,
		.next_ns = UINT64_MAX,
	};
	for (size_t i = 0; i < pids->count; i++) {
		uint64_t time_ns = low_ns;

		do {
			images->is_cut = images->items.count >= MOST_IMAGES;
			if (images->is_cut)
				return 0;
			time_ns = load_image(images, maps,
					     *(int32_t *)array_at(pids, i),
					     time_ns);
			if (!time_ns)
				return -ERROR_MEMORY;
		} while (time_ns <= high_ns && time_ns != UINT64_MAX);
		if (time_ns < images->next_ns)
			images->next_ns = time_ns;
	}
	return 0;
}

/* Returns the mapping at @address, NULL if there is none. */
static const struct process_map *map_at(const struct process_image *image,
					uint64_t address)
{
	for (size_t i = image->maps.count; i-- > 0;) {
		const struct process_map *map = array_at(&image->maps, i);

		if (address - map->address < map->size_bytes)
			return map;
	}
	return NULL;
}

bool process_image_is_mapped(const struct process_image *image, uint64_t ip)
{
	return map_at(image, ip) != NULL;
}

/* Chosen images, none of which has the same mappings as another. */
struct merge {
	struct array images; /* const struct process_image * */
	/* uint64_t, sorted: starts and ends of all mappings */
	struct array borders;
};

static const struct process_image *merged_image(const struct merge *merge,
						size_t index)
{
	return *(const struct process_image **)array_at(&merge->images, index);
}

static bool has_image(const struct merge *merge,
		      const struct process_image *image)
{
	for (size_t i = merge->images.count; i-- > 0;)
		if (process_maps_are_same(&merged_image(merge, i)->maps,
					  &image->maps))
			return true;
	return false;
}

/* Adds the first address of each mapping, and the one after its last. */
static int add_borders(struct merge *merge, const struct process_image *image)
{
	for (size_t i = 0; i < image->maps.count; i++) {
		const struct process_map *map = array_at(&image->maps, i);
		uint64_t end = map->address + map->size_bytes;

		if (end <= map->address)
			continue;
		if (array_append(&merge->borders, &map->address) < 0 ||
		    array_append(&merge->borders, &end) < 0)
			return -ERROR_MEMORY;
	}
	return 0;
}

static int add_chosen(struct merge *merge, const struct process_images *images,
		      const struct array *chosen)
{
	for (size_t i = 0; i < chosen->count; i++) {
		const struct process_image *image = process_images_at(
			images, *(size_t *)array_at(chosen, i));

		if (has_image(merge, image))
			continue;
		if (array_append(&merge->images, &image) < 0 ||
		    add_borders(merge, image) < 0)
			return -ERROR_MEMORY;
	}
	array_sort_by(&merge->borders, KEYS(RISING_NUMBER(uint64_t)));
	return 0;
}

/* Returns whether both mappings have the same code at each address that both
 * contain.
 */
static bool is_same_code(const struct process_map *a,
			 const struct process_map *b)
{
	return a->file == b->file &&
	       a->file_offset - a->address == b->file_offset - b->address;
}

/* Returns the mapping at @address, NULL if no image has one, or if two differ.
 */
static const struct process_map *agreed_map(const struct merge *merge,
					    uint64_t address)
{
	const struct process_map *agreed = NULL;

	for (size_t i = 0; i < merge->images.count; i++) {
		const struct process_map *map =
			map_at(merged_image(merge, i), address);

		if (map && agreed && !is_same_code(map, agreed))
			return NULL;
		if (map)
			agreed = map;
	}
	return agreed;
}

/* Adds the part [@address, @end) of @map to @result. Extends the last mapping
 * of @result if the part continues it.
 */
static int add_part(struct array *result, const struct process_map *map,
		    uint64_t address, uint64_t end)
{
	struct process_map part = *map;
	struct process_map *last;

	part.file_offset += address - part.address;
	part.address = address;
	part.size_bytes = end - address;
	if (!result->count)
		return array_append(result, &part);
	last = array_at(result, result->count - 1);
	if (last->address + last->size_bytes != address ||
	    !is_same_code(last, map))
		return array_append(result, &part);
	last->size_bytes += part.size_bytes;
	return 0;
}

static int add_parts(const struct merge *merge, struct array *result)
{
	int status = 0;

	for (size_t i = 1; !status && i < merge->borders.count; i++) {
		uint64_t address =
			*(uint64_t *)array_at(&merge->borders, i - 1);
		uint64_t end = *(uint64_t *)array_at(&merge->borders, i);
		const struct process_map *map;

		if (address == end)
			continue;
		map = agreed_map(merge, address);
		if (map)
			status = add_part(result, map, address, end);
	}
	return status;
}

static int copy_maps(const struct array *maps, struct array *result)
{
	for (size_t i = 0; i < maps->count; i++)
		if (array_append(result, array_at(maps, i)) < 0)
			return -ERROR_MEMORY;
	return 0;
}

int process_images_merge(const struct process_images *images,
			 const struct array *chosen, struct array *result)
{
	struct merge merge = {
		.images = ARRAY_OF(const struct process_image *),
		.borders = ARRAY_OF(uint64_t),
	};
	int status = add_chosen(&merge, images, chosen);

	result->count = 0;
	if (!status)
		status = merge.images.count == 1 ?
				 copy_maps(&merged_image(&merge, 0)->maps,
					   result) :
				 add_parts(&merge, result);
	array_free(&merge.images);
	array_free(&merge.borders);
	return status;
}
