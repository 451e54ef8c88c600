/*
 * Uncore performance monitoring of the Xeon E5-2600: internal interfaces.
 * "Guide" is Intel's document 327043-001.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_SNBEP_H
#define HW_I386_MODEL_SNBEP_H

#include "hw/registerfields.h"
#include "qom/object.h"
#include "hw/qdev-core.h"
#include "model-findings.h"

#define SNBEP_MAX_SOCKETS   8
#define SNBEP_MAX_CTRS      4
#define SNBEP_FIXED         SNBEP_MAX_CTRS      /* index of the fixed one */
#define SNBEP_MAX_FILTERS   4
#define SNBEP_BOXES         20      /* of a whole socket */
#define SNBEP_MAX_CORES     8       /* of a socket */
/* box control, controls and counters, fixed ones, filters */
#define SNBEP_MAX_REGS      (2 * SNBEP_MAX_CTRS + SNBEP_MAX_FILTERS + 3)

/* PCI device and function as in the guide: "14.1" */
#define SNBEP_DEVFN(dev, fn)    (((dev) << 3) | (fn))

typedef enum SnbepKind {
    SNBEP_UBOX,
    SNBEP_CBOX,
    SNBEP_HA,
    SNBEP_IMC,
    SNBEP_PCU,
    SNBEP_QPI,
    SNBEP_R2PCIE,
    SNBEP_R3QPI,
    SNBEP_KINDS
} SnbepKind;

/* Address space of a register; access counters are per space. */
typedef enum SnbepSpace {
    SNBEP_MSR,
    SNBEP_PCI,              /* config space below 0x100 */
    SNBEP_EXT,              /* extended config space */
    SNBEP_SPACES
} SnbepSpace;

typedef enum SnbepClock {
    SNBEP_NO_CLOCK,
    SNBEP_UCLK,
    SNBEP_DCLK,
    SNBEP_PCLK,
    SNBEP_QFCLK,
    SNBEP_CLOCKS
} SnbepClock;

/* Interpretation of a unit mask */
typedef enum SnbepUmask {
    SNBEP_UM_NONE,          /* the event has none */
    SNBEP_UM_BITS,          /* any bit in common */
    SNBEP_UM_LOOKUP,        /* LLC_LOOKUP */
    SNBEP_UM_VICTIMS,       /* LLC_VICTIMS */
    SNBEP_UM_TOR,           /* TOR_INSERTS and TOR_OCCUPANCY */
    SNBEP_UM_OCC_SEL,       /* POWER_STATE_OCCUPANCY: occ_sel is in its place */
} SnbepUmask;

/* Filter of the box that applies to an event, besides those of its umask */
typedef enum SnbepFilter {
    SNBEP_F_NONE,
    SNBEP_F_HA_MATCH,
    SNBEP_F_QPI_MATCH,
    SNBEP_F_BAND0,
    SNBEP_F_BAND1,
    SNBEP_F_BAND2,
    SNBEP_F_BAND3,
} SnbepFilter;

typedef struct SnbepEvent {
    const char *name;
    uint8_t code;
    uint8_t ext;            /* extended select */
    uint8_t ctrs;           /* mask of counters that support it */
    uint8_t note_ctrs;      /* @ctrs restricted by a note, or 0 */
    uint8_t max_inc;        /* per cycle */
    bool max_inc_blank;     /* max_inc is undocumented */
    bool list;              /* not in the guide, but in Intel's list */
    uint8_t umask_bits;     /* unit mask bits in the guide */
    SnbepUmask umask;
    SnbepFilter filter;
    SnbepClock clock;       /* clock events; others are injected */
    /* unit masks that are values and not bits, or NULL */
    const uint8_t *umask_values;
    uint8_t list_umask;     /* a value that is only in Intel's list, or 0 */
} SnbepEvent;

/* Fields of a 32-bit register. All other bits are reserved. */
typedef struct SnbepFields {
    uint32_t rw;
    uint32_t wo;            /* write-only; the value read is a trait */
    uint32_t mbz;           /* reserved, "must write to 0" */
} SnbepFields;

typedef enum SnbepRegKind {
    SNBEP_R_BOX_CTL,
    SNBEP_R_CTL,
    SNBEP_R_CTR,
    SNBEP_R_FILTER,
} SnbepRegKind;

typedef struct SnbepReg {
    SnbepRegKind kind;
    uint8_t index;
    bool high;              /* upper dword of a counter, in config space */
} SnbepReg;

/* Fields for the counting logic, tables 2-9, 2-10, 2-12 and 2-75 */
FIELD(BOX_CTL, RST_CTRL, 0, 1)
FIELD(BOX_CTL, RST_CTRS, 1, 1)
FIELD(BOX_CTL, FRZ, 8, 1)
FIELD(BOX_CTL, FRZ_EN, 16, 1)

FIELD(PMON_CTL, EV_SEL, 0, 8)
FIELD(PMON_CTL, UMASK, 8, 8)
FIELD(PMON_CTL, OCC_SEL, 14, 2)         /* PCU */
FIELD(PMON_CTL, RST, 17, 1)
FIELD(PMON_CTL, EDGE_DET, 18, 1)
FIELD(PMON_CTL, TID_EN, 19, 1)
FIELD(PMON_CTL, EXT, 21, 1)
FIELD(PMON_CTL, EN, 22, 1)
FIELD(PMON_CTL, INVERT, 23, 1)
FIELD(PMON_CTL, THRESH, 24, 8)          /* 5 bits in the UBox and the PCU */
FIELD(PMON_CTL, OCC_INVERT, 30, 1)
FIELD(PMON_CTL, OCC_EDGE, 31, 1)

/* Fields of the CBo's filter, table 2-12; from v2 on, bits 63:32 are FILTER1 */
typedef enum SnbepMatch {
    SNBEP_M_TID,
    SNBEP_M_NID,
    SNBEP_M_STATE,
    SNBEP_M_OPC,
    SNBEP_M_NC,             /* v2 and v3: not coherent */
    SNBEP_MATCHES
} SnbepMatch;

typedef struct SnbepFilterReg {
    const char *name;
    uint16_t addr;
    uint8_t space;          /* SnbepSpace */
    SnbepFields fields;
} SnbepFilterReg;

typedef struct SnbepBoxType {
    const char *name;       /* name in uncore-stim */
    const char *reg_prefix; /* prefix of register names; %d is the instance */
    SnbepKind kind;
    uint8_t instances;
    bool numbered;          /* instances are name_0, name_1, ... */
    bool msr;
    uint8_t ctrs;
    uint8_t width;
    SnbepFields ctl;
    uint8_t thresh_bits;
    /* addresses of instance 0, and step between instances (MSR) */
    uint16_t ctl_addr;
    uint16_t ctr_addr;
    uint16_t box_ctl_addr;  /* 0: there is none */
    uint16_t step;
    SnbepFields box_ctl;
    uint16_t fixed_ctl_addr;    /* 0: there is none */
    uint16_t fixed_ctr_addr;
    uint8_t fixed_width;
    SnbepFields fixed_ctl;
    SnbepClock fixed_clock;
    uint8_t nr_filters;
    SnbepFilterReg filter[SNBEP_MAX_FILTERS];
    uint64_t match[SNBEP_MATCHES];  /* masks of the filter's fields */
    /* PCI: device.function of each instance, PMON and (QPI) packet filter */
    uint8_t devfn[4];
    uint8_t filter_devfn[4];
} SnbepBoxType;

typedef struct SnbepUncore SnbepUncore;
typedef struct SnbepSocket SnbepSocket;

/* Tables of the machine's generation: E5-2600 v1, v2 or v3 */
#define SNBEP_GENERATIONS   3
extern SnbepBoxType snbep_box_types[SNBEP_KINDS];
/* Each list ends with a nameless event. */
extern const SnbepEvent *snbep_events[SNBEP_KINDS];
/* @generation is 2 or 3 */
void snbep_boxes_become(unsigned generation);
void snbep_boxes_make(SnbepSocket *s);
void snbep_events_become(unsigned generation);

/* PCU_MSR_CORE_C3_CTR and PCU_MSR_CORE_C6_CTR, which follows it */
typedef enum SnbepCState {
    SNBEP_C3,
    SNBEP_C6,
    SNBEP_C_STATES
} SnbepCState;


/* A torn read: the counter changes to @value after a read of one half. */
typedef struct SnbepTear {
    bool armed;
    bool high;
    uint64_t value;
} SnbepTear;

typedef struct SnbepBox SnbepBox;
struct SnbepBox {
    const SnbepBoxType *type;
    SnbepSocket *socket;
    uint8_t instance;
    bool present;
    char name[16];

    struct {} reset_fields;
    uint32_t box_ctl;
    uint32_t ctl[SNBEP_FIXED + 1];
    uint64_t ctr[SNBEP_FIXED + 1];
    uint32_t filter[SNBEP_MAX_FILTERS];
    uint32_t bands;         /* PCU: the effective filter */
    SnbepTear tear[SNBEP_FIXED + 1];
    /* Last written by injection: ignored by the protocol checker */
    bool ctl_poked[SNBEP_FIXED + 1];
    bool filter_poked[SNBEP_MAX_FILTERS];
    /*
     * Reset, written or read by the guest since reset; and enabled without
     * that at the last write to the box
     */
    bool ctr_fresh[SNBEP_FIXED + 1];
    bool ctr_stale[SNBEP_FIXED + 1];
    struct {} end_reset_fields;

    int64_t synced;         /* virtual time of the last update */
    uint64_t reads[SNBEP_SPACES];
    uint64_t writes[SNBEP_SPACES];
    uint64_t ports[SNBEP_SPACES];       /* accesses through I/O ports */
};

/* What is published: the guest reads, is about to write, has written */
typedef enum SnbepStage {
    SNBEP_READ,
    SNBEP_WRITE,
    SNBEP_WRITTEN,
} SnbepStage;

typedef void SnbepSubscriber(SnbepBox *box, SnbepStage stage, SnbepReg reg,
                             uint64_t value);

struct SnbepSocket {
    SnbepUncore *uncore;
    unsigned id;            /* number in uncore-stim */
    unsigned bus;           /* bus number of its PCI functions */
    uint32_t functions;     /* mask of present functions */
    uint32_t mhz;           /* PCU: uncore frequency of the last injection */
    SnbepBox box[SNBEP_BOXES];
    uint64_t residency[SNBEP_C_STATES][SNBEP_MAX_CORES];
};

/*
 * Traits: behaviour that the guide does not define, or contradicts itself
 * about. Their values are in snbep-variant.c, the most permissive first.
 */
typedef enum SnbepTrait {
    SNBEP_T_NOISE,          /* reserved bits: 0, or noise */
    SNBEP_T_WO,             /* write-only bits: enum below */
    SNBEP_T_PCU_EXT,        /* bit 21 of the PCU's controls: enum below */
    SNBEP_T_PCU_FILTER,     /* immediately, or at a frequency transition */
    SNBEP_T_RESIDENCY,      /* per core, or per socket */
    SNBEP_T_UBOX_FIXED,     /* 48 bits, or 44 */
    SNBEP_T_MISSING_CBOS,   /* fault, or zero */
    SNBEP_T_FIRMWARE,       /* clean, or careless */
    SNBEP_T_MSRS,           /* there, or drop */
    SNBEP_T_CTL_EN,         /* .en of a control reads as written, or 0 */
    SNBEP_TRAITS
} SnbepTrait;

enum { SNBEP_WO_BACK, SNBEP_WO_ZERO, SNBEP_WO_NOISE };
enum { SNBEP_EXT_STICK, SNBEP_EXT_DROP, SNBEP_EXT_FAULT };

/* Rules of the protocol checker that can be disabled */
typedef enum SnbepRule {
    SNBEP_RULE_WO_READ,
    SNBEP_RULE_STALE,
    SNBEP_RULE_FILTER_CHANGE,
    SNBEP_RULE_ONE_CRITERION,
    SNBEP_RULE_ONE_USER,
    SNBEP_RULE_COUNTER0,
    SNBEP_RULE_BAND_0,
    SNBEP_RULE_THRESHOLD,
    SNBEP_RULES
} SnbepRule;

#define SNBEP_QPI_PORTS     2

struct SnbepUncore {
    DeviceState parent_obj;

    uint32_t sockets;
    uint32_t cbos;
    uint32_t generation;
    uint32_t mhz[SNBEP_CLOCKS];
    uint32_t qpi_mhz[SNBEP_QPI_PORTS];
    uint32_t qpi_status[SNBEP_QPI_PORTS];   /* QPI_RATE_STATUS */
    /* of each socket: package number in APIC IDs, node ID in the UBox */
    unsigned package[SNBEP_MAX_SOCKETS];
    unsigned node[SNBEP_MAX_SOCKETS];
    uint32_t node_map;                      /* UBox */

    uint64_t seed;
    uint64_t noise;                         /* state of the random generator */
    unsigned trait[SNBEP_TRAITS];
    /* properties, as text */
    char *trait_name[SNBEP_TRAITS];
    char *packages_name;
    char *nodes_name;
    char *qpi_rate_name;

    SnbepSocket socket[SNBEP_MAX_SOCKETS];
    SnbepSubscriber *subscriber;    /* to the guest's accesses */
    ModelFindings *findings;
    uint32_t rules_off;     /* mask of SnbepRule */
    char *rules_off_name;
    bool traffic;           /* built for traffic mode */
};

#define TYPE_SNBEP_UNCORE "snbep-uncore"
OBJECT_DECLARE_SIMPLE_TYPE(SnbepUncore, SNBEP_UNCORE)

/* The machine's uncore, or NULL. */
SnbepUncore *snbep_uncore(void);
SnbepBox *snbep_box_of_kind(SnbepSocket *s, SnbepKind kind, unsigned instance);
SnbepBox *snbep_box_by_name(SnbepSocket *s, const char *name);
/* Return the box whose registers or packet filter a PCI function has. */
SnbepBox *snbep_box_at(SnbepSocket *s, uint8_t devfn, bool *filter_fn);
void snbep_socket_reset(SnbepSocket *s);

/* snbep-pmon.c: registers and counting */
bool snbep_find_msr(SnbepSocket *s, uint32_t msr, SnbepBox **box,
                    SnbepReg *reg);
bool snbep_find_pci(SnbepBox *box, bool filter_fn, uint32_t addr,
                    SnbepReg *reg);
char *snbep_reg_name(const SnbepBox *box, SnbepReg reg);
/* Return the number of registers of a box, and list them in @regs. */
unsigned snbep_box_regs(const SnbepBox *box, SnbepReg regs[SNBEP_MAX_REGS]);
uint64_t snbep_reg_read(SnbepBox *box, SnbepReg reg);
void snbep_reg_write(SnbepBox *box, SnbepReg reg, uint64_t value);
/*
 * The same without a subscriber, access counters and torn reads; counters are
 * accessed as a whole. Pokes inject accesses of other software.
 */
uint64_t snbep_reg_peek(SnbepBox *box, SnbepReg reg);
void snbep_reg_poke(SnbepBox *box, SnbepReg reg, uint64_t value);
/* Return the cycles of a box's clock at a virtual time. */
uint64_t snbep_clock_cycles(const SnbepBox *box, SnbepClock clock, int64_t ns);
/* Change the uncore frequency of a socket. */
void snbep_pcu_frequency(SnbepSocket *s, uint32_t mhz);
void snbep_pmon_sync(SnbepBox *box);
void snbep_pmon_reset(SnbepBox *box);
unsigned snbep_ctr_width(const SnbepBox *box, unsigned i);
uint64_t snbep_ctr_mask(const SnbepBox *box, unsigned i);
/* Return the fields of a control or filter register. */
const SnbepFields *snbep_reg_fields(const SnbepBox *box, SnbepReg reg);
bool snbep_box_frozen(const SnbepBox *box);
const SnbepEvent *snbep_ctl_event(const SnbepBox *box, uint32_t ctl);
const SnbepEvent *snbep_event_find(SnbepKind kind, uint8_t code, bool ext);

/* An injected event: @count cycles in which it occurs with increment @inc */
typedef struct SnbepStim {
    const SnbepEvent *event;
    uint8_t umask;
    uint64_t count;
    uint32_t inc;
    /* CBo */
    uint8_t tid;
    uint8_t state;          /* one bit of [FMESI] */
    uint8_t nid;
    bool nc;
    uint16_t opc;           /* CBo, HA; QPI: in packet[] */
    uint64_t addr;          /* HA */
    uint32_t packet[2];     /* QPI: in the layout of MATCH0 and MATCH1 */
    /* PCU */
    uint32_t mhz;
    uint32_t occ[4];        /* cores in C0, C3, C6 at index 1 to 3 */
    bool occupancy;
    /*
     * @lasts: consecutive cycles of a condition that has begun before.
     * @changes: changes of occupancy from @occ_before to @occ.
     */
    bool lasts, changes;
    uint32_t occ_before[4];
} SnbepStim;

void snbep_pmon_happen(SnbepBox *box, const SnbepStim *stim);

/* snbep-filter.c */
/* Return the value of a field of the CBo's filter. */
uint64_t snbep_cbo_match(const SnbepBox *box, SnbepMatch m);
bool snbep_filter_match(const SnbepBox *box, uint32_t ctl,
                        const SnbepEvent *event, const SnbepStim *stim);
bool snbep_filter_is_band(const SnbepEvent *event);
bool snbep_filter_band(const SnbepBox *box, const SnbepEvent *event,
                       uint32_t mhz);

/* snbep-checker.c: subscribe to accesses, and check them */
void snbep_check_init(SnbepUncore *u);

/* snbep-checker-run.c: findings, and rules on sequences of accesses */
void snbep_found(SnbepBox *box, SnbepReg reg, const char *op, uint64_t value,
                 const char *fmt, ...) G_GNUC_PRINTF(5, 6);
void snbep_found_named(SnbepSocket *s, const char *box, const char *reg,
                       const char *op, uint64_t value, const char *rule);
void snbep_check_running(SnbepBox *box);
void snbep_check_filter(SnbepBox *box, SnbepReg reg, uint32_t value);
bool snbep_rule(const SnbepUncore *u, SnbepRule rule);
void snbep_rules_print(const SnbepUncore *u, GString *out);
/* @names: names of rules, separated by colons */
bool snbep_rules_set(SnbepUncore *u, const char *names, bool on, Error **errp);

/* snbep-stim.c */
void snbep_stim_init(SnbepUncore *u);
/* Parse "SOCKET rest" or "SOCKET BOX rest", and move @args to the rest. */
SnbepSocket *snbep_parse_socket(SnbepUncore *u, const char **args,
                                Error **errp);
SnbepBox *snbep_parse_box(SnbepUncore *u, const char **args, Error **errp);

/* snbep-poke.c */
void snbep_poke_init(SnbepUncore *u);
/* Print "NAME=VALUE" and a newline. */
void snbep_print_reg(SnbepBox *box, SnbepReg reg, GString *out);

/* snbep-pci.c: print hidden functions as "8.2,14.1" */
void snbep_print_hidden(const SnbepUncore *u, GString *out);

/* snbep-ports.c: return whether the current access came through I/O ports */
bool snbep_ports_realize(SnbepUncore *u, Error **errp);
bool snbep_by_port(void);

/* snbep-cstate.c: residency of every core of a socket */
void snbep_cstate_init(SnbepUncore *u);
/* Advance the residency of one core. */
void snbep_cstate_slept(SnbepSocket *s, unsigned core, SnbepCState c,
                        uint64_t cycles);
/* What it is when the guest starts */
void snbep_cstate_boot(SnbepSocket *s);

/* snbep-variant.c */
bool snbep_variant_realize(SnbepUncore *u, Error **errp);
/* What the firmware leaves in the registers */
void snbep_variant_boot(SnbepUncore *u);
/* @value, with noise in the bits that are not in @defined */
uint64_t snbep_noisy(SnbepUncore *u, uint64_t value, uint64_t defined);
/* The same for what a read of write-only bits @wo gives; @held is in them. */
uint64_t snbep_write_only(SnbepUncore *u, uint64_t held, uint64_t wo);
SnbepSocket *snbep_socket_of_package(SnbepUncore *u, int package);

/* snbep-msr.c */
void snbep_msr_init(SnbepUncore *u);
/* Does this write raise #GP? */
bool snbep_write_faults(const SnbepBox *box, SnbepReg reg, uint64_t value);

#endif
