/* cooperative_groups.h under the short name that sources give it. */
#ifndef DC_SHIM_GROUPS
#define DC_SHIM_GROUPS
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#endif
