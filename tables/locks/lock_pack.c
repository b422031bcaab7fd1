/* SPDX-License-Identifier: MIT */
#include "tables/locks/lock_pack.h"

#include "common/bytes.h"
#include "report/steps/task_pack.h"
#include "tables/locks/lock_waits.h"

static void pack_name(struct pack *pack, struct lock_name *lock)
{
	pack_u64(pack, &lock->address);
	pack_u64(pack, &lock->device);
	pack_i32(pack, &lock->pid);
	pack_u32(pack, &lock->kind);
	pack_check(pack, lock->kind < LOCK_KINDS);
}

void lock_pack(struct pack *pack, struct lock_wait *wait, uint32_t functions)
{
	pack_name(pack, &wait->lock);
	pack_u32(pack, &wait->function);
	pack_check(pack, wait->function < functions);
	task_pack_facts(pack, &wait->task);
	pack_i32(pack, &wait->waker);
	pack_u32(pack, &wait->others_at_begin);
	pack_u32(pack, &wait->others_at_end);
	pack_u64(pack, &wait->begin_ns);
	pack_u64(pack, &wait->end_ns);
}
