/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one way to refuse an event: an errno for the program, and a line in the
 * kernel's log for the person, which names the rule in the user's terms.
 *
 * perf asks a driver before it looks at the user's permissions. So the line is
 * only written for those who may count whole CPUs whatever
 * kernel.perf_event_paranoid says (CAP_PERFMON): nobody else can fill the log,
 * or use up the lines of those who have the right.
 */
#ifndef COMMON_REFUSE_H
#define COMMON_REFUSE_H

#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/user_namespace.h>

/* A module has one of these, by its name: several may be built into one kernel. */
#ifdef __KBUILD_MODNAME
#define refuse_limit	__PASTE(__KBUILD_MODNAME, _refuse_limit)
#endif
extern struct ratelimit_state refuse_limit;

static inline bool refuse_may_log(void)
{
	return (ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
		ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN)) &&
	       __ratelimit(&refuse_limit);
}

/**
 * refuse - say why an event is refused
 * @pmu: name of the PMU, which begins the line
 * @err: negative errno
 * @fmt: the rule, in the terms of the PMU's format/ directory
 *
 * Evaluates to @err.
 */
#define refuse(pmu, err, fmt, ...)					\
({									\
	if (refuse_may_log())						\
		pr_notice("%s: " fmt "\n", pmu, ##__VA_ARGS__);		\
	(err);								\
})

/* How many lines, and the module's parameter for it: log_burst */
#define DEFINE_REFUSE							\
DEFINE_RATELIMIT_STATE(refuse_limit, 5 * HZ, 50);			\
static int refuse_set_burst(const char *val,				\
			    const struct kernel_param *kp)		\
{									\
	int err = param_set_uint_minmax(val, kp, 0, INT_MAX);		\
									\
	if (!err)							\
		compat_ratelimit_changed(&refuse_limit);		\
	return err;							\
}									\
static const struct kernel_param_ops refuse_burst_ops = {		\
	.set = refuse_set_burst,					\
	.get = param_get_uint,						\
};									\
module_param_cb(log_burst, &refuse_burst_ops, &refuse_limit.burst, 0644);	\
MODULE_PARM_DESC(log_burst,						\
		 "Refused events that may be explained in the kernel log within 5 s; 0 for none (default: 50)")

#endif /* COMMON_REFUSE_H */
