/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_ROLES_INTERNAL_H
#define KT_ATTRIBUTION_INTERRUPTS_INTERRUPT_ROLES_INTERNAL_H

#include "attribution/events/known_events.h"

#include <stdbool.h>
#include <stdint.h>

struct context_kinds;
struct function_table;

/* The role of a kernel function in interrupt work. */
enum interrupt_role {
	ROLE_NONE,
	ROLE_HARD,	     /* hard interrupt (CONTEXT_INTERRUPT) */
	ROLE_IPI_RESCHEDULE, /* interrupt sent by another CPU */
	ROLE_IPI_CALL,
	ROLE_IRQ_WORK,		/* interrupt that a CPU sends to itself */
	ROLE_NMI,		/* NMI (CONTEXT_NMI) */
	ROLE_SOFTIRQ,		/* runs soft interrupts (CONTEXT_SOFTIRQ) */
	ROLE_ACTION,		/* action of one soft interrupt */
	ROLE_ITEM,		/* runs a work item (CONTEXT_ITEM) */
	ROLE_THREAD,		/* runs a threaded handler */
	ROLE_CALLS_HANDLER,	/* calls the handlers of an interrupt */
	ROLE_CALLS_POLL,	/* calls a network device's poll function */
	ROLE_POLLS_BACKLOG,	/* polls the queue of packets of a CPU */
	ROLE_CALLS_RCU,		/* calls RCU callbacks */
	ROLE_QUEUES_RCU,	/* queues an RCU callback */
	ROLE_QUEUES_FREE,	/* queues memory to be freed after RCU */
	ROLE_RECLAIMS,		/* makes memory free for others */
	ROLE_RECLAIMS_DIRECTLY, /* makes memory free for its caller */
	ROLE_COMPACTS,		/* makes large blocks free for others */
	/* compacts all memory: in kcompactd now and then, or for a task that
	 * writes to vm.compact_memory
	 */
	ROLE_COMPACTS_ALL,
	ROLE_ALLOCATES, /* allocates pages */
	/* allocates pages below the low watermark, or a block larger than any
	 * that is free
	 */
	ROLE_LACKS_MEMORY,
	/* called by functions that call handlers, but no handler itself */
	ROLE_HELPER,
	ROLE_SCHEDULES_POLL,   /* schedules the poll of a network device */
	ROLE_WAKES,	       /* wakes a task */
	ROLE_SENDS_RESCHEDULE, /* sends an IPI */
	ROLE_SENDS_CALL,
	ROLE_QUEUES_IRQ_WORK,
	ROLE_ENDS_REQUEST, /* passes on a completed block request */
	ROLE_TAKES_PACKET, /* processes a received packet */
	/* delivers a copy of a received packet to one more socket */
	ROLE_COPIES_PACKET,
	/* sends more data of connections whose sent packets were freed */
	ROLE_SENDS_MORE,
	ROLE_STARTS_CONNECTION, /* processes a packet that does */
	/* looks for the address of a neighbour; the packet may have to wait */
	ROLE_LOOKS_FOR_NEIGHBOUR,
	/* learns such an address, and sends the packets that wait for it */
	ROLE_LEARNS_NEIGHBOUR,
	/* sends a query to a device that answers each query once, and waits for
	 * the answer
	 */
	ROLE_ASKS,
	ROLE_ANSWERS, /* delivers such an answer */
	ROLE_DIRTIES, /* makes a clean page of a file dirty */
	ROLE_CLEANS,  /* writes a dirty page, or drops it */
};

/* The roles of a recording's functions, by function number. */
struct interrupt_roles;

/* Looks up the roles of all @functions by name and kind of context. Returns
 * NULL when out of memory.
 */
struct interrupt_roles *
interrupt_roles_new(const struct function_table *functions,
		    const struct context_kinds *kinds);
void interrupt_roles_free(struct interrupt_roles *roles);

/* Returns the role of @function; ROLE_NONE for functions of user space. */
enum interrupt_role interrupt_role_of(const struct interrupt_roles *roles,
				      uint32_t function);

/* Returns the soft interrupt vector whose action is @function. Its role must be
 * ROLE_ACTION.
 */
enum softirq_vector interrupt_role_vector(const struct interrupt_roles *roles,
					  uint32_t function);

/* Which processes the function of a timer or work item serves. This is taken
 * from the kernel's sources: the trace shows which task armed the timer or
 * queued the item, but not which others needed it, too. A task that finds the
 * item already queued, or a list not empty, causes no event.
 */
enum interrupt_service {
	SERVES_ANYBODY, /* an object that several may share: a device, a file
			 * system, a socket; also functions not in the lists */
	/* an object of one task's request: on the stack of that task, or
	 * allocated for the request
	 */
	SERVES_ASKER,
	/* the whole system, whichever task armed or queued it */
	SERVES_SYSTEM,
	SERVES_WRITERS, /* the processes whose dirty pages it writes */
	SERVES_FREERS,	/* the processes whose memory it frees after RCU */
};

enum interrupt_service
interrupt_role_service(const struct interrupt_roles *roles, uint32_t function);

#endif
