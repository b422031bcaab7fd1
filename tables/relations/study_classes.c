/* SPDX-License-Identifier: MIT */
#include "tables/relations/study_classes.h"

#include "common/error.h"
#include "tables/relations/function_study.h"

/* Classes per octave, as a power of two. */
enum { CLASS_BITS = 4 };

void study_class_free(struct study_class *study_class)
{
	call_parts_free(&study_class->parts);
}

static struct study_class *class_at(const struct study_classes *classes,
				    size_t index)
{
	return array_at(&classes->list, index);
}

void study_classes_free(struct study_classes *classes)
{
	for (size_t i = 0; i < classes->list.count; i++)
		study_class_free(class_at(classes, i));
	array_free(&classes->list);
}

static size_t class_of(uint64_t wall_ns)
{
	unsigned int shift;

	if (wall_ns < 1 << CLASS_BITS)
		return wall_ns;
	shift = 63 - CLASS_BITS - (unsigned int)__builtin_clzll(wall_ns);
	return ((size_t)shift << CLASS_BITS) + (wall_ns >> shift);
}

int study_classes_add(struct study_classes *classes,
		      const struct slow_call *call)
{
	size_t index = class_of(call->wall_ns);
	struct study_class *found = array_reach_like(
		&classes->list, index,
		&(struct study_class){ .parts = CALL_PARTS_EMPTY });

	if (!found)
		return -ERROR_MEMORY;
	if (!found->calls || call->wall_ns < found->min_ns)
		found->min_ns = call->wall_ns;
	if (call->wall_ns > found->max_ns)
		found->max_ns = call->wall_ns;
	found->calls++;
	return call_parts_join(&found->parts, &call->parts);
}

static int join(struct study_class *sum, const struct study_class *more)
{
	if (!more->calls)
		return 0;
	if (!sum->calls || more->min_ns < sum->min_ns)
		sum->min_ns = more->min_ns;
	if (more->max_ns > sum->max_ns)
		sum->max_ns = more->max_ns;
	sum->calls += more->calls;
	return call_parts_join(&sum->parts, &more->parts);
}

static uint64_t count_all(const struct study_classes *classes)
{
	uint64_t count = 0;

	for (size_t i = 0; i < classes->list.count; i++)
		count += class_at(classes, i)->calls;
	return count;
}

static int add_slow(const struct study_classes *classes, uint64_t wanted,
		    struct study_class *slow)
{
	int status = 0;

	for (size_t i = classes->list.count;
	     i-- > 0 && !status && slow->calls < wanted;)
		status = join(slow, class_at(classes, i));
	return status;
}

static int add_typical(const struct study_classes *classes, uint64_t rank,
		       struct study_class *typical)
{
	uint64_t passed = 0;

	for (size_t i = 0; i < classes->list.count; i++) {
		passed += class_at(classes, i)->calls;
		if (passed >= rank)
			return join(typical, class_at(classes, i));
	}
	return 0;
}

int study_classes_compare(const struct study_classes *classes,
			  struct study_class *slow, struct study_class *typical)
{
	uint64_t count = count_all(classes);
	int status;

	*slow = (struct study_class){ .parts = CALL_PARTS_EMPTY };
	*typical = (struct study_class){ .parts = CALL_PARTS_EMPTY };
	status = add_slow(classes, (count + 9) / 10, slow);
	if (!status)
		status = add_typical(classes, (count + 1) / 2, typical);
	if (status < 0) {
		study_class_free(slow);
		study_class_free(typical);
	}
	return status;
}
