/*
 * Uncore units that are described by discovery tables
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_DISCOVERY_H
#define HW_I386_MODEL_DISCOVERY_H

#include "hw/pci/pci.h"
#include "qom/object.h"
#include "model-findings.h"

#define DISC_MAX_DIES       8
#define DISC_MAX_UNITS      1023    /* 10 bits in the table */
#define DISC_MAX_CTRS       16
#define DISC_FIXED          DISC_MAX_CTRS   /* index of the fixed counter */
#define DISC_MAX_FILTERS    4
#define DISC_MAX_TABLES     3
#define DISC_MAX_CONFIG     4
#define DISC_DEVICE_TABLE   0x09a7
#define DISC_MSR_TABLE      0x201e

/* The values are those of the table. */
typedef enum DiscAccess {
    DISC_MSR,
    DISC_MMIO,
    DISC_PCI,
} DiscAccess;

extern const char *const disc_access_name[];

#define TYPE_DISCOVERY "xeon-discovery"
OBJECT_DECLARE_SIMPLE_TYPE(Discovery, DISCOVERY)

/* How a guest finds a table, and what freezes the units in it */
typedef struct DiscTable {
    Discovery *die;
    bool by_msr;
    unsigned where;         /* the MSR, or the PCI device's id */
    bool has_global;
    DiscAccess access;      /* of the global control */
    uint64_t global;
    bool frozen;            /* by the global control */
    unsigned listed;
    MemoryRegion region;
} DiscTable;

typedef struct DiscUnit {
    Discovery *die;
    char *name;             /* in uncore-stim */
    DiscAccess access;
    bool listed;            /* in the discovery table @table */
    unsigned table;
    bool controls;          /* otherwise it always counts */
    bool box;               /* there is a unit's control */
    bool e5;                /* control bits as before discovery tables */
    unsigned type, id;
    /* of its PCI function */
    unsigned device_id;
    bool node, mc;          /* has node ID and map, or MMIO addresses */
    struct { uint32_t offset, value; } config[DISC_MAX_CONFIG];
    unsigned configs;
    uint64_t value;         /* of the counters at reset */
    /* MSR; offset in the die's window; or device, function and offset */
    uint64_t addr;
    unsigned counters, width;
    /* offsets from @addr, and distance of two controls */
    unsigned box_ctl_off, ctl, ctr, step, fixed_ctl, fixed_ctr, filter_off;
    unsigned filters;
    uint64_t bits;          /* of a control that are not reserved */
    unsigned mhz;           /* of event 1, the clock */

    struct {} reset_fields;
    uint32_t box_ctl;
    uint64_t control[DISC_MAX_CTRS + 1];
    uint64_t counter[DISC_MAX_CTRS + 1];
    uint64_t filter[DISC_MAX_FILTERS];
    bool torn;              /* @tear is a counter's next value */
    unsigned torn_ctr;
    uint64_t tear;
    struct {} end_reset_fields;

    int64_t synced;         /* virtual time of the last update */
    uint64_t reads, writes;
} DiscUnit;

/* A die: a PCI device with its discovery table and its memory-mapped units */
struct Discovery {
    PCIDevice parent_obj;

    uint32_t number;        /* socket in uncore-stim */
    uint32_t package;       /* in its CPUs' APIC IDs */
    char *units_file;
    bool by_msr;            /* the table's address is in an MSR */

    DiscTable table[DISC_MAX_TABLES];
    unsigned tables;
    bool implicit;          /* no row of the file has said where a table is */
    DiscUnit *unit;
    unsigned units;
    uint64_t mmio_size;
    MemoryRegion mmio;
    uint64_t address[DISC_MAX_TABLES + 1]; /* of BARs, the last ones */
};

extern Discovery *disc_die[DISC_MAX_DIES];

/* discovery-table.c: read the units of a die from its file */
bool disc_table_read(Discovery *d, Error **errp);

/* discovery-unit.c */
void disc_unit_reset(DiscUnit *u);
void disc_unit_sync(DiscUnit *u);
/* Number of bytes, or of MSRs, up to the end of the last register */
unsigned disc_unit_extent(const DiscUnit *u);
bool disc_unit_overlaps(const DiscUnit *u);
/* Have two units a register in common? */
bool disc_units_overlap(const DiscUnit *a, const DiscUnit *b);
bool disc_unit_has(const DiscUnit *u, uint64_t off);
/*
 * @off: from the unit's address; @size: bytes, or 0 for an MSR. Return false if
 * there is no such register.
 */
bool disc_unit_read(DiscUnit *u, uint64_t off, unsigned size, uint64_t *value);
bool disc_unit_write(DiscUnit *u, uint64_t off, unsigned size, uint64_t value);
/* @count cycles with the event, each of which increments by @inc */
void disc_unit_happen(DiscUnit *u, unsigned event, uint64_t umask,
                      uint64_t count, unsigned inc);
uint64_t disc_unit_mask(const DiscUnit *u);
bool disc_unit_runs(const DiscUnit *u, unsigned i);

/* discovery-console.c */
void disc_console_init(void);
void disc_found(Discovery *d, const char *box, const char *op, uint64_t addr,
                uint64_t value, const char *rule);

#endif
