/* stdbool.h for NVRTC: bool, true and false are C++'s own. */
#ifndef DC_SHIM_STDBOOL_H
#define DC_SHIM_STDBOOL_H
#define __bool_true_false_are_defined 1
#endif
