/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Uncore of the Xeon E5-2600: registers and types.
 *
 * Table and section numbers are those of the Intel Xeon Processor E5-2600
 * Product Family Uncore Performance Monitoring Guide, 327043-001.
 */
#ifndef SNBEP_UNCORE_H
#define SNBEP_UNCORE_H

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/hrtimer.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

#include "events/snbep_events.h"
#include "snbep/sched.h"

#define SNBEP_MAX_SOCKETS	8

/*
 * Box control: the same fields in every box that has one. frz and frz_en are
 * write-only (Table 2-9), so the driver keeps what it wrote. HA and iMC have
 * no reset bits (Tables 2-34, 2-60).
 */
#define SNBEP_PMON_BOX_CTL_RST_CTRL	BIT(0)
#define SNBEP_PMON_BOX_CTL_RST_CTRS	BIT(1)
#define SNBEP_PMON_BOX_CTL_FRZ		BIT(8)
#define SNBEP_PMON_BOX_CTL_FRZ_EN	BIT(16)

/*
 * Counter control: fields of all boxes; which of them a box has is said by its
 * format table (Tables 2-2, 2-10, 2-35, 2-61, 2-75, 2-86, 2-106, 2-120).
 */
#define SNBEP_PMON_CTL_EV_SEL		GENMASK(7, 0)
#define   SNBEP_PCU_EV_SEL_OCC		BIT(7)	/* use occupancy, Table 2-75 */
#define SNBEP_PMON_CTL_UMASK		GENMASK(15, 8)
#define   SNBEP_PCU_OCC_SEL		GENMASK(15, 14)
#define SNBEP_PMON_CTL_EDGE_DET		BIT(18)
#define SNBEP_CBO_CTL_TID_EN		BIT(19)
#define SNBEP_PMON_CTL_EV_SEL_EXT	BIT(21)
#define SNBEP_PMON_CTL_EN		BIT(22)
#define SNBEP_PMON_CTL_INVERT		BIT(23)
#define SNBEP_PMON_CTL_THRESH		GENMASK(31, 24)
#define   SNBEP_PMON_CTL_THRESH5	GENMASK(28, 24)
#define SNBEP_PCU_CTL_OCC_INVERT	BIT(30)
#define SNBEP_PCU_CTL_OCC_EDGE_DET	BIT(31)

/* Extended select in a perf event code */
#define SNBEP_SEL_EXT			BIT(8)

/* Fixed counters of the PCU outside the PMON logic, Table 2-73 */
#define SNBEP_PCU_MSR_CORE_C3_CTR	0x3fc
#define SNBEP_PCU_MSR_CORE_C6_CTR	0x3fd

/* QPI_RATE_STATUS, Table 2-93 */
#define SNBEP_QPI_RATE_STATUS		0xd4
#define   SNBEP_QPI_RATE_STATUS_RATE	GENMASK(2, 0)
#define     SNBEP_QPI_RATE_5600		2	/* MT/s; one more is 800 more */
#define   SNBEP_QPI_RATE_STATUS_SLOW	BIT(4)

/**
 * struct snbep_format - one file of a PMU's format/ directory
 * @attr: the file, under the name that the user types
 * @word: 0 to 2 for perf_event_attr's config, config1, config2
 * @mask: the bits
 * @whole: a register as a whole, so its bits may be reserved
 *
 * Bits that no other format of a box type names are reserved, and refused.
 */
struct snbep_format {
	struct device_attribute attr;
	u8 word;
	u64 mask;
	bool whole;
};

/**
 * struct snbep_event_desc - an event of the guide's tables
 * @name: in lower case
 * @sel: event select; bit 8 is the extended select
 * @counters: bit n set if counter n can count it; bit SNBEP_FIXED_CTR alone for
 *	the fixed counter; 0 for a register that runs by itself
 * @max_inc: largest increment per cycle, 0 where the guide leaves it out
 * @takes: filters (SNBEP_F_*) that every unit mask takes
 * @first: its first unit mask; the others follow
 */
struct snbep_event_desc {
	const char *name;
	u16 sel;
	u8 counters;
	u8 max_inc;
	u16 takes;
	u16 first;
};

/**
 * struct snbep_umask_desc - a unit mask, or the only form of an event
 * @event: index of its event
 * @plain: the event has no unit masks
 * @umask: bits 15:8 of the control register
 * @needs: filters (SNBEP_F_*) without whose value it counts nothing, and
 *	SNBEP_F_ALONE if it cannot be ORed with others
 */
struct snbep_umask_desc {
	u8 event;
	u8 plain;
	u8 umask;
	u16 needs;
};

/**
 * struct snbep_alias - a file of a PMU's events/ directory
 * @attr: the file
 * @row: unit mask that it stands for, or -1
 * @text: what it holds if @row is -1
 */
struct snbep_alias {
	struct device_attribute attr;
	s16 row;
	const char *text;
};

/**
 * struct snbep_events - what events/snbep_*.def say of one box type
 * @events: event table
 * @umasks: unit mask table, in the order of @events
 * @aliases: files of events/
 * @nr_events: entries in @events
 * @nr_umasks: entries in @umasks
 * @nr_aliases: entries in @aliases
 */
struct snbep_events {
	struct snbep_event_desc *events;
	const struct snbep_umask_desc *umasks;
	struct snbep_alias *aliases;
	u16 nr_events;
	u16 nr_umasks;
	u16 nr_aliases;
};

/**
 * struct snbep_regs - where the registers of a box are
 * @box_ctl: box control, 0 if the box has none
 * @ctl: control of counter 0
 * @ctr: counter 0
 * @fixed_ctl: control of the fixed counter, 0 if the box has none
 * @fixed_ctr: fixed counter
 * @filter: registers that take config1 31:0, config1 63:32, config2 31:0 and
 *	config2 63:32; 0 for none
 * @stride: from one instance to the next
 *
 * MSR numbers, or offsets in the configuration space of a PCI function.
 */
struct snbep_regs {
	u16 box_ctl;
	u16 ctl;
	u16 ctr;
	u16 fixed_ctl;
	u16 fixed_ctr;
	u16 filter[SNBEP_NR_FILTER_REGS];
	u16 stride;
};

struct snbep_box;

/* No value of a counter: the box is gone. Counters have 48 bits at most. */
#define SNBEP_LOST	U64_MAX

/**
 * struct snbep_backend - how registers are reached
 * @ctr: address of counter @ctr
 * @read: value of the counter at @addr, or SNBEP_LOST. Bits above its width are
 *	undefined. @running says that it may count meanwhile, and @prev is then
 *	the value it last had.
 * @write_ctl: write the control register of counter @ctr
 * @write_filter: write filter register @reg
 * @write_box_ctl: write the box control
 *
 * Called with interrupts off, on a CPU of the box's socket.
 */
struct snbep_backend {
	u32 (*ctr)(struct snbep_box *box, unsigned int ctr);
	u64 (*read)(struct snbep_box *box, u32 addr, bool running, u64 prev);
	void (*write_ctl)(struct snbep_box *box, unsigned int ctr, u32 val);
	void (*write_filter)(struct snbep_box *box, unsigned int reg, u32 val);
	void (*write_box_ctl)(struct snbep_box *box, u32 val);
};

extern const struct snbep_backend snbep_msr_backend;
extern const struct snbep_backend snbep_pci_backend;
u64 snbep_msr_read(struct snbep_box *box, u32 addr, bool running, u64 prev);
u64 snbep_pci_read(struct snbep_box *box, u32 addr, bool running, u64 prev);

/**
 * struct snbep_box_type - a kind of box
 * @name: part of the PMU's name
 * @table: where the guide has the fields of its control register
 * @instances: boxes of this kind in a socket
 * @counters: general counters in a box
 * @width: bits of a counter
 * @fixed_width: bits of the fixed counter
 * @box_ctl_reset: reset bits of the box control
 * @ext_unsure: the guide lists extended events, but reserves the bit
 * @occupancy: event select bit 7 and .occ_sel choose an occupancy counter
 * @rate: has a QPI_RATE_STATUS
 * @backend: how its registers are reached
 * @regs: where they are
 * @formats: fields of an encoding
 * @nr_formats: entries in @formats
 * @known: bits of config, config1 and config2 that are in @formats
 * @filters: filters of the box
 * @nr_filters: entries in @filters
 * @ev: its events
 */
struct snbep_box_type {
	const char *name;
	const char *table;
	u8 instances;
	u8 counters;
	u8 width;
	u8 fixed_width;
	u8 box_ctl_reset;
	bool ext_unsure;
	bool occupancy;
	bool rate;
	const struct snbep_backend *backend;
	struct snbep_regs regs;
	struct snbep_format *formats;
	u8 nr_formats;
	u64 known[3];
	const struct snbep_filter *filters;
	u8 nr_filters;
	const struct snbep_events *ev;
};

enum snbep_type_id {
	SNBEP_CBOX,
	SNBEP_HA,
	SNBEP_IMC,
	SNBEP_PCU,
	SNBEP_QPI,
	SNBEP_R2PCIE,
	SNBEP_R3QPI,
	SNBEP_UBOX,
	SNBEP_NR_TYPES
};

extern struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES];
void snbep_boxes_init(void);

/**
 * struct snbep_socket - a processor package
 * @pkg: physical package id, as CPUs and the UBox's map have it, and index in
 *	snbep_sockets
 * @cpu: the CPU that does the work for its boxes, or nr_cpu_ids
 * @msr_probed: its MSR boxes were looked for
 */
struct snbep_socket {
	int pkg;
	unsigned int cpu;
	bool msr_probed;
};

/**
 * struct snbep_event - what the driver keeps of a perf event
 * @want: what it asks of a box
 * @box: where it counts
 * @prev: value of the counter when it was last looked at
 * @addr: of the counter, while it has one; of a register that runs by itself
 *	always
 * @shift: 64 less the bits of the counter
 * @free: the register runs by itself
 * @run: perf wants it to count
 * @live: it counts
 *
 * In the place that struct hw_perf_event has for the extra registers of core
 * PMUs, so that no event needs memory of its own.
 */
struct snbep_event {
	struct snbep_want want;
	struct snbep_box *box;
	u64 prev;
	u32 addr;
	u8 shift;
	bool free;
	bool run;
	bool live;
};

static_assert(sizeof(struct snbep_event) <=
	      2 * sizeof(struct hw_perf_event_extra));

static inline struct snbep_event *to_snbep_event(struct perf_event *event)
{
	return (struct snbep_event *)&event->hw.extra_reg;
}

static inline struct perf_event *to_perf_event(struct snbep_event *se)
{
	return container_of((struct hw_perf_event_extra *)se,
			    struct perf_event, hw.extra_reg);
}

/* In snbep_box.deferred */
#define SNBEP_MOVING	BIT(31)

/**
 * struct snbep_box - one box of one socket
 * @pmu: the PMU it belongs to
 * @backend: of its type
 * @socket: the socket it is in
 * @lock: for all below, and the registers, against CPUs that only read
 * @sched: what perf wants on which counter; its @changed are those that the
 *	registers may not show yet
 * @hw: what each counter counts
 * @used: bit n set if counter n counts
 * @ctl: what each control register holds
 * @ctl_known: control registers that @ctl is true of
 * @filters_dirty: filters came or went since the registers were written
 * @filter: what each filter register holds, once written
 * @filter_known: the filter registers have been written
 * @cpu: the one CPU whose events the box takes
 * @deferred: how many want changes written later; SNBEP_MOVING while the events
 *	are on their way to another CPU
 * @ready: box control has been written since the box was found
 * @frozen: box control holds frz
 * @txn_read: inside a group read
 * @txn_froze: the group read froze the box
 * @gone: does not answer any more
 * @timer: looks at the counters before they can wrap twice
 * @polled: the timer is set
 * @fast_cpu: @cpu, while a read is nothing but a read
 * @msr_base: added to the MSR numbers of the type
 * @pdev: PCI function of the PMON registers
 * @filter_pdev: PCI function of the filter registers, or NULL
 */
struct snbep_box {
	struct snbep_pmu *pmu;
	const struct snbep_backend *backend;
	struct snbep_socket *socket;
	raw_spinlock_t lock;
	struct snbep_sched sched;
	struct snbep_event *hw[SNBEP_NR_CTRS];
	u8 used;
	u32 ctl[SNBEP_NR_CTRS];
	u8 ctl_known;
	u32 filter[SNBEP_NR_FILTER_REGS];
	bool filter_known;
	bool filters_dirty;
	int cpu;
	unsigned int deferred;
	bool ready;
	bool frozen;
	bool txn_read;
	bool txn_froze;
	bool gone;
	struct hrtimer timer;
	bool polled;
	int fast_cpu;
	u16 msr_base;
	struct pci_dev *pdev;
	struct pci_dev *filter_pdev;
};

/**
 * struct snbep_pmu - a box of the same place in all sockets
 * @pmu: for perf
 * @node: in the list of all
 * @id: of @type
 * @type: kind of box
 * @instance: which of its kind
 * @no_ext: extended events cannot be selected
 * @registered: with perf
 * @name: of the PMU
 * @box: by socket
 */
struct snbep_pmu {
	struct pmu pmu;
	struct list_head node;
	enum snbep_type_id id;
	const struct snbep_box_type *type;
	u8 instance;
	bool no_ext;
	bool registered;
	char name[32];
	struct snbep_box *box[SNBEP_MAX_SOCKETS];
};

static inline struct snbep_pmu *to_snbep_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct snbep_pmu, pmu);
}

/* Whether this CPU is the one that may change the box */
static inline bool snbep_box_is_here(struct snbep_box *box)
{
	/* pairs with snbep_box_hand_over() */
	return smp_load_acquire(&box->cpu) == smp_processor_id();
}

/* Say why an event is refused, in the user's terms; evaluates to @err */
#define snbep_refuse(pmu, err, fmt, ...)				\
({									\
	if (snbep_may_log())						\
		pr_notice("%s: " fmt "\n", (pmu)->name, ##__VA_ARGS__);	\
	(err);								\
})

/* snbep_uncore.c */
bool snbep_may_log(void);
extern struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
struct snbep_box *snbep_box_found(enum snbep_type_id id, unsigned int instance,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev);
struct snbep_socket *snbep_socket_get(int pkg);

/* snbep_box.c */
struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev);
void snbep_box_free(struct snbep_box *box);
int snbep_box_add(struct snbep_box *box, struct snbep_event *se, bool run);
void snbep_box_del(struct snbep_box *box, struct snbep_event *se);
void snbep_box_run(struct snbep_box *box, struct snbep_event *se, bool run);
void snbep_box_defer(struct snbep_box *box);
void snbep_box_apply(struct snbep_box *box);
void snbep_box_read(struct perf_event *event);
void snbep_box_read_begin(struct snbep_box *box);
void snbep_box_read_end(struct snbep_box *box);
void snbep_box_lost(struct snbep_box *box);
void snbep_box_forget(struct snbep_box *box, struct snbep_event *se, bool here);
void snbep_box_release(struct snbep_box *box);
void snbep_box_stop_poll(struct snbep_box *box);
void snbep_box_move_begin(struct snbep_box *box);
void snbep_box_move_end(struct snbep_box *box);

/* snbep_encode.c */
int snbep_encode(struct snbep_pmu *pmu, const struct perf_event_attr *attr,
		 struct snbep_event *se);

/* snbep_events.c */
extern const struct snbep_events snbep_events[SNBEP_NR_TYPES];
void snbep_events_init(void);

/* snbep_sysfs.c */
ssize_t snbep_format_show(struct device *dev, struct device_attribute *attr,
			  char *buf);
ssize_t snbep_alias_show(struct device *dev, struct device_attribute *attr,
			 char *buf);
const struct attribute_group **snbep_sysfs_groups(enum snbep_type_id id);
void snbep_sysfs_box_found(struct snbep_box *box);
int snbep_sysfs_init(void);
void snbep_sysfs_exit(void);

/* snbep_msr.c */
void snbep_msr_probe(struct snbep_socket *socket);

/* snbep_pci.c */
int snbep_pci_init(void);
void snbep_pci_exit(void);
bool snbep_pci_filter_reachable(struct snbep_box *box);
int snbep_pci_qpi_rate(struct snbep_box *box, u32 *status);

#endif /* SNBEP_UNCORE_H */
