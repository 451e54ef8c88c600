/*
 * Uncore performance monitoring of the Xeon E5-2600: internal interfaces.
 * "Guide" is Intel's document 327043-001.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_UNCORE_H
#define HW_I386_MODEL_UNCORE_H

#include "hw/registerfields.h"
#include "qom/object.h"
#include "hw/qdev-core.h"
#include "model-findings.h"

#define UNCORE_MAX_SOCKETS   8
#define UNCORE_MAX_CTRS      4
#define UNCORE_FIXED         UNCORE_MAX_CTRS      /* index of the fixed one */
#define UNCORE_MAX_FILTERS   4
#define UNCORE_MAX_BOXES     41      /* of a socket */
#define UNCORE_MAX_CORES     8       /* of a v1 */
/* box control, controls and counters, fixed ones, filters */
#define UNCORE_MAX_REGS      (2 * UNCORE_MAX_CTRS + UNCORE_MAX_FILTERS + 3)

/* PCI device and function as in the guide: "14.1" */
#define UNCORE_DEVFN(dev, fn)    (((dev) << 3) | (fn))

typedef enum UncoreKind {
    UNCORE_UBOX,
    UNCORE_CBOX,
    UNCORE_HA,
    UNCORE_IMC,
    UNCORE_PCU,
    UNCORE_QPI,
    UNCORE_R2PCIE,
    UNCORE_R3QPI,
    UNCORE_SBOX,             /* v3 and v4 */
    UNCORE_IRP,              /* from v2 on */
    UNCORE_KINDS
} UncoreKind;

/* Address space of a register; access counters are per space. */
typedef enum UncoreSpace {
    UNCORE_MSR,
    UNCORE_PCI,              /* config space below 0x100 */
    UNCORE_EXT,              /* extended config space */
    UNCORE_SPACES
} UncoreSpace;

typedef enum UncoreClock {
    UNCORE_NO_CLOCK,
    UNCORE_UCLK,
    UNCORE_DCLK,
    UNCORE_PCLK,
    UNCORE_QFCLK,
    UNCORE_CLOCKS
} UncoreClock;

/* Interpretation of a unit mask */
typedef enum UncoreUmask {
    UNCORE_UM_NONE,          /* the event has none */
    UNCORE_UM_BITS,          /* any bit in common */
    UNCORE_UM_LOOKUP,        /* LLC_LOOKUP */
    UNCORE_UM_VICTIMS,       /* LLC_VICTIMS */
    UNCORE_UM_TOR,           /* TOR_INSERTS and TOR_OCCUPANCY */
    UNCORE_UM_OCC_SEL,       /* POWER_STATE_OCCUPANCY: occ_sel instead */
} UncoreUmask;

/* Filter of the box that applies to an event, besides those of its umask */
typedef enum UncoreFilter {
    UNCORE_F_NONE,
    UNCORE_F_HA_MATCH,
    UNCORE_F_QPI_MATCH,
    UNCORE_F_BAND0,
    UNCORE_F_BAND1,
    UNCORE_F_BAND2,
    UNCORE_F_BAND3,
} UncoreFilter;

typedef struct UncoreEvent {
    const char *name;
    uint8_t code;
    uint8_t ext;            /* extended select */
    uint8_t ctrs;           /* mask of counters that support it */
    uint8_t note_ctrs;      /* @ctrs restricted by a note, or 0 */
    uint8_t max_inc;        /* per cycle */
    bool max_inc_blank;     /* max_inc is undocumented */
    bool list;              /* not in the guide, but in Intel's list */
    uint8_t umask_bits;     /* unit mask bits in the guide */
    UncoreUmask umask;
    UncoreFilter filter;
    UncoreClock clock;       /* clock events; others are injected */
    /* unit masks that are values and not bits, or NULL */
    const uint8_t *umask_values;
    uint8_t list_umask;     /* a value that is only in Intel's list, or 0 */
} UncoreEvent;

/* Fields of a 32-bit register. All other bits are reserved. */
typedef struct UncoreFields {
    uint32_t rw;
    uint32_t wo;            /* write-only; the value read is a trait */
    uint32_t mbz;           /* reserved, "must write to 0" */
} UncoreFields;

typedef enum UncoreRegKind {
    UNCORE_R_BOX_CTL,
    UNCORE_R_CTL,
    UNCORE_R_CTR,
    UNCORE_R_FILTER,
    UNCORE_R_NONE,          /* config space: no register at @offset */
} UncoreRegKind;

typedef struct UncoreReg {
    UncoreRegKind kind;
    uint8_t index;
    bool high;              /* upper dword of a counter, in config space */
    uint8_t bytes;          /* config space: of a write of fewer than four */
    uint16_t offset;
} UncoreReg;

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
typedef enum UncoreMatch {
    UNCORE_M_TID,
    UNCORE_M_NID,
    UNCORE_M_STATE,
    UNCORE_M_OPC,
    UNCORE_M_NC,             /* v2 and v3: not coherent */
    UNCORE_MATCHES
} UncoreMatch;

typedef struct UncoreFilterReg {
    const char *name;
    uint16_t addr;
    uint8_t space;          /* UncoreSpace */
    UncoreFields fields;
} UncoreFilterReg;

typedef struct UncoreBoxType {
    const char *name;       /* name in uncore-stim */
    const char *reg_prefix; /* prefix of register names; %d is the instance */
    UncoreKind kind;
    uint8_t instances;      /* 0: the generation does not have it */
    bool numbered;          /* instances are name_0, name_1, ... */
    bool msr;
    uint8_t ctrs;
    uint8_t width;
    UncoreFields ctl;
    uint8_t thresh_bits;
    /* addresses of instance 0, and step between instances (MSR) */
    uint16_t ctl_addr;
    uint16_t ctr_addr;
    uint8_t ctr_gap;        /* PCI: number of counters below a gap of one */
    uint16_t box_ctl_addr;  /* 0: there is none */
    uint16_t step;
    UncoreFields box_ctl;
    uint16_t fixed_ctl_addr;    /* 0: there is none */
    uint16_t fixed_ctr_addr;
    uint8_t fixed_width;
    UncoreFields fixed_ctl;
    UncoreClock fixed_clock;
    uint8_t nr_filters;
    UncoreFilterReg filter[UNCORE_MAX_FILTERS];
    uint64_t match[UNCORE_MATCHES];  /* masks of the filter's fields */
    /* PCI: device.function of each instance, PMON and (QPI) packet filter */
    uint8_t devfn[4];
    uint8_t filter_devfn[4];
} UncoreBoxType;

typedef struct UncoreModel UncoreModel;
typedef struct UncoreSocket UncoreSocket;

/* Tables for the E5-2600 v1 to v4; a nameless event ends a list. */
#define UNCORE_GENERATIONS   4
extern const UncoreBoxType uncore_box_types[UNCORE_GENERATIONS][UNCORE_KINDS];
/* @generation: 0 for v1 */
const UncoreEvent *uncore_events(unsigned generation, UncoreKind kind);
void uncore_boxes_make(UncoreSocket *s);

/* State of the protocol checker for a box, which nothing else uses */
typedef struct UncoreCheck {
    /* Last written by injection: not checked */
    bool ctl_poked[UNCORE_FIXED + 1];
    bool filter_poked[UNCORE_MAX_FILTERS];
    /*
     * Reset, written or read by the guest since reset; and enabled without
     * that at the last write to the box
     */
    bool ctr_fresh[UNCORE_FIXED + 1];
    bool ctr_stale[UNCORE_FIXED + 1];
} UncoreCheck;

/* A torn read: the counter changes to @value after a read of one half. */
typedef struct UncoreTear {
    bool armed;
    bool high;
    uint64_t value;
} UncoreTear;

typedef struct UncoreBox UncoreBox;
struct UncoreBox {
    const UncoreBoxType *type;
    const UncoreEvent *events;
    UncoreSocket *socket;
    uint8_t instance;
    bool present;
    char name[16];

    struct {} reset_fields;
    uint32_t box_ctl;
    uint32_t ctl[UNCORE_FIXED + 1];
    uint64_t ctr[UNCORE_FIXED + 1];
    uint32_t filter[UNCORE_MAX_FILTERS];
    uint32_t bands;         /* PCU: the effective filter */
    UncoreTear tear[UNCORE_FIXED + 1];
    UncoreCheck check;
    struct {} end_reset_fields;

    int64_t synced;         /* virtual time of the last update */
    uint64_t reads[UNCORE_SPACES];
    uint64_t writes[UNCORE_SPACES];
    uint64_t ports[UNCORE_SPACES];       /* accesses through I/O ports */
};

/*
 * The subscriber is called when the guest will read, will write, has written,
 * and when other software has written, which an injection stands for.
 */
typedef enum UncoreStage {
    UNCORE_READ,
    UNCORE_WRITE,
    UNCORE_WRITTEN,
    UNCORE_POKED,
} UncoreStage;

typedef void UncoreSubscriber(UncoreBox *box, UncoreStage stage, UncoreReg reg,
                              uint64_t value);

/*
 * Inject a box's events up to the virtual time @now, or to a later one that
 * they have reached: return which. Called before the box is accessed.
 */
typedef int64_t UncorePending(UncoreBox *box, int64_t now);

struct UncoreSocket {
    UncoreModel *uncore;
    unsigned id;            /* number in uncore-stim */
    unsigned bus;           /* bus number of its PCI functions */
    uint32_t functions;     /* mask of present functions */
    uint32_t mhz;           /* PCU: uncore frequency of the last injection */
    unsigned boxes;
    UncoreBox box[UNCORE_MAX_BOXES];
};

/* Behaviour that the guide does not define */
typedef enum UncoreTrait {
#define UNCORE_TRAIT(id, name, values, drawn, help) UNCORE_T_##id
#include "uncore-traits.def"
#undef UNCORE_TRAIT
    UNCORE_TRAITS
} UncoreTrait;

enum { UNCORE_WO_BACK, UNCORE_WO_ZERO, UNCORE_WO_NOISE };
enum { UNCORE_PHANTOM_HIDDEN, UNCORE_PHANTOM_IDLE, UNCORE_PHANTOM_ONES };
enum { UNCORE_EXT_STICK, UNCORE_EXT_DROP, UNCORE_EXT_FAULT };

/* Rules of the protocol checker that can be disabled */
typedef enum UncoreRule {
    UNCORE_RULE_WO_READ,
    UNCORE_RULE_STALE,
    UNCORE_RULE_FILTER_CHANGE,
    UNCORE_RULE_ONE_CRITERION,
    UNCORE_RULE_ONE_USER,
    UNCORE_RULE_COUNTER0,
    UNCORE_RULE_BAND_0,
    UNCORE_RULE_THRESHOLD,
    UNCORE_RULES
} UncoreRule;

#define UNCORE_QPI_PORTS     2

struct UncoreModel {
    DeviceState parent_obj;

    uint32_t sockets;
    uint32_t cbos;
    uint32_t generation;
    uint32_t mhz[UNCORE_CLOCKS];
    uint32_t qpi_mhz[UNCORE_QPI_PORTS];
    uint32_t qpi_status[UNCORE_QPI_PORTS];   /* QPI_RATE_STATUS */
    /* of each socket: package number in APIC IDs, node ID in the UBox */
    unsigned package[UNCORE_MAX_SOCKETS];
    unsigned node[UNCORE_MAX_SOCKETS];
    uint32_t node_map;                      /* UBox */

    uint64_t seed;
    uint64_t noise;                         /* state of the random generator */
    unsigned trait[UNCORE_TRAITS];
    /* properties, as text */
    char *trait_name[UNCORE_TRAITS];
    char *packages_name;
    char *nodes_name;
    char *qpi_rate_name;

    UncoreSocket socket[UNCORE_MAX_SOCKETS];
    UncoreSubscriber *subscriber;    /* to the guest's accesses */
    UncorePending *pending;          /* of traffic mode, or NULL */
    ModelFindings *findings;
    uint32_t rules_off;     /* mask of UncoreRule */
    char *rules_off_name;
    bool traffic;           /* built for traffic mode */
};

#define TYPE_UNCORE_MODEL "xeon-uncore"
OBJECT_DECLARE_SIMPLE_TYPE(UncoreModel, UNCORE_MODEL)

/* The machine's uncore, or NULL. */
UncoreModel *uncore_model(void);
UncoreBox *uncore_box_of_kind(UncoreSocket *s, UncoreKind kind,
                              unsigned instance);
UncoreBox *uncore_box_by_name(UncoreSocket *s, const char *name);
/* Return the box whose registers or packet filter a PCI function has. */
UncoreBox *uncore_box_at(UncoreSocket *s, uint8_t devfn, bool *filter_fn);
void uncore_socket_reset(UncoreSocket *s);

/* uncore-pmon.c: registers and counting */
bool uncore_find_msr(UncoreSocket *s, uint32_t msr, UncoreBox **box,
                     UncoreReg *reg);
bool uncore_find_pci(UncoreBox *box, bool filter_fn, uint32_t addr,
                     UncoreReg *reg);
char *uncore_reg_name(const UncoreBox *box, UncoreReg reg);
/* Return the number of registers of a box, and list them in @regs. */
unsigned uncore_box_regs(const UncoreBox *box, UncoreReg regs[UNCORE_MAX_REGS]);
uint64_t uncore_reg_read(UncoreBox *box, UncoreReg reg);
void uncore_reg_write(UncoreBox *box, UncoreReg reg, uint64_t value);
/*
 * The same without a subscriber, access counters and torn reads; counters are
 * accessed as a whole. Pokes inject accesses of other software.
 */
uint64_t uncore_reg_peek(UncoreBox *box, UncoreReg reg);
void uncore_reg_poke(UncoreBox *box, UncoreReg reg, uint64_t value);
/* Return the cycles of a box's clock at a virtual time. */
uint64_t uncore_clock_cycles(const UncoreBox *box, UncoreClock clock,
                             int64_t ns);
uint64_t uncore_cycle_adds(unsigned thresh, uint32_t ctl, uint32_t inc);
/* Change the uncore frequency of a socket. */
void uncore_pcu_frequency(UncoreSocket *s, uint32_t mhz);
void uncore_pmon_sync(UncoreBox *box);
void uncore_pmon_reset(UncoreBox *box);
unsigned uncore_ctr_width(const UncoreBox *box, unsigned i);
uint64_t uncore_ctr_mask(const UncoreBox *box, unsigned i);
/* Return the fields of a control or filter register. */
const UncoreFields *uncore_reg_fields(const UncoreBox *box, UncoreReg reg);
bool uncore_box_frozen(const UncoreBox *box);
const UncoreEvent *uncore_ctl_event(const UncoreBox *box, uint32_t ctl);
const UncoreEvent *uncore_event_find(const UncoreBox *box, uint8_t code,
                                     bool ext);

/* An injected event: @count cycles in which it occurs with increment @inc */
typedef struct UncoreStim {
    const UncoreEvent *event;
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
    bool lasts;             /* consecutive cycles, without an edge */
} UncoreStim;

void uncore_pmon_happen(UncoreBox *box, const UncoreStim *stim);

/* uncore-filter.c */
/* Return the value of a field of the CBo's filter. */
uint64_t uncore_cbo_match(const UncoreBox *box, UncoreMatch m);
bool uncore_filter_match(const UncoreBox *box, uint32_t ctl,
                         const UncoreEvent *event, const UncoreStim *stim);
bool uncore_filter_is_band(const UncoreEvent *event);
bool uncore_filter_band(const UncoreBox *box, const UncoreEvent *event,
                        uint32_t mhz);

/* uncore-checker.c: subscribe to accesses, and check them */
void uncore_check_init(UncoreModel *u);

/* uncore-checker-run.c: rules that can be left out */
bool uncore_rule(const UncoreModel *u, UncoreRule rule);
/* @names: names of rules, separated by colons */
bool uncore_rules_set(UncoreModel *u, const char *names, bool on, Error **errp);

/* uncore-stim.c */
void uncore_stim_init(UncoreModel *u);
/* Parse "SOCKET rest" or "SOCKET BOX rest", and move @args to the rest. */
UncoreSocket *uncore_parse_socket(UncoreModel *u, const char **args,
                                  Error **errp);
UncoreBox *uncore_parse_box(UncoreModel *u, const char **args, Error **errp);

/* uncore-poke.c */
void uncore_poke_init(UncoreModel *u);
/* Print "NAME=VALUE" and a newline. */
void uncore_print_reg(UncoreBox *box, UncoreReg reg, GString *out);

/* uncore-pci.c: print hidden functions as "08.2,0e.1" */
void uncore_print_hidden(const UncoreModel *u, GString *out);

/* uncore-ports.c: return whether the current access came through I/O ports */
bool uncore_ports_realize(UncoreModel *u, Error **errp);
bool uncore_by_port(void);

/* uncore-variant.c */
bool uncore_variant_realize(UncoreModel *u, Error **errp);
/* Set the registers as the firmware leaves them. */
void uncore_variant_boot(UncoreModel *u);
/* @value, with noise in the bits that are not in @defined */
uint64_t uncore_noisy(UncoreModel *u, uint64_t value, uint64_t defined);
/* Return what a guest reads of write-only bits @wo that hold @held. */
uint64_t uncore_write_only(UncoreModel *u, uint64_t held, uint64_t wo);
UncoreSocket *uncore_socket_of_package(UncoreModel *u, int package);

/* uncore-msr.c */
void uncore_msr_init(UncoreModel *u);
/* Does this write raise #GP? */
bool uncore_write_faults(const UncoreBox *box, UncoreReg reg, uint64_t value);

#endif
