/* The types of cooperative_groups.h, declared for the compiler to see which kernels a program launches: the header
** itself takes it a second. */
#ifndef DC_SHIM_HOST_GROUPS
#define DC_SHIM_HOST_GROUPS
namespace cooperative_groups {
struct thread_group {};
struct thread_block : thread_group {};
struct cluster_group : thread_group {};
struct grid_group : thread_group {};
struct multi_grid_group : thread_group {};
struct coalesced_group : thread_group {};
template <unsigned N, class Parent = void> struct thread_block_tile : thread_group {};
} // namespace cooperative_groups
#endif
