# Builds $(BUILD)/dclua, and $(BUILD)/dotcompute/core.so with its compiler process.  `make help` lists the targets.
# Needs a C compiler, Lua 5.4's headers and library, libedit.  No CUDA: it is found at run time.

SAN ?=
TSAN ?=
BUILD ?= build$(if $(SAN),-san)$(if $(TSAN),-tsan)
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib/lua/5.4
LUADIR ?= $(PREFIX)/share/lua/5.4
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/dotcompute
PKGCONFIGDIR ?= $(PREFIX)/lib/pkgconfig
DESTDIR ?=
LUA ?= lua5.4
PKG_CONFIG ?= pkg-config
LIBFLAG ?= -shared
CFLAGS ?= -O2 -g
HOSTCC ?= $(CC)# for what runs while building; CC may be a cross compiler

MACHINE := $(patsubst %-pc-linux-gnu,%-linux-gnu,$(shell $(CC) -dumpmachine 2>/dev/null))

# --- Lua 5.4 and libedit -------------------------------------------------------------------------
LUA_PC := $(firstword $(foreach p,lua5.4 lua-5.4 lua54,$(shell $(PKG_CONFIG) --exists $(p) 2>/dev/null && echo $(p))))
ifdef LUA_INCDIR
  LUA_CFLAGS := -I$(LUA_INCDIR)
else ifneq ($(LUA_PC),)
  LUA_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(LUA_PC))
else
  LUA_CFLAGS := $(addprefix -I,$(firstword $(wildcard /usr/include/lua5.4 /usr/local/include/lua5.4 /usr/include/lua54)))
endif
# The interpreter carries Lua inside, whole, so that C modules find every function of its API.
LUA_PC_LIBDIR := $(if $(LUA_PC),$(shell $(PKG_CONFIG) --variable=libdir $(LUA_PC)))
LUA_ARCHIVE ?= $(firstword $(foreach d,$(LUA_LIBDIR) $(LUA_PC_LIBDIR) $(addprefix /usr/lib/,$(MACHINE)) /usr/local/lib,\
                 $(wildcard $(d)/liblua5.4.a $(d)/liblua-5.4.a $(d)/liblua54.a)))
ifneq ($(LUA_ARCHIVE),)
  LUA_LINK := -Wl,--whole-archive $(LUA_ARCHIVE) -Wl,--no-whole-archive
else
  LUA_LINK := $(or $(if $(LUA_PC),$(shell $(PKG_CONFIG) --libs $(LUA_PC))),-llua5.4)
endif
EDIT_CFLAGS := $(shell $(PKG_CONFIG) --cflags libedit 2>/dev/null)
EDIT_LINK := $(or $(shell $(PKG_CONFIG) --libs libedit 2>/dev/null),-ledit)

# --- flags ---------------------------------------------------------------------------------------
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wconversion -Wno-sign-conversion $(if $(WERROR),-Werror)
OPS_OPT := -O3
# What a kernel reads and writes is the kernel's affair: faults there are caught, and must not end the process.
ifneq ($(SAN),)
  SANITIZE := -fsanitize=address,undefined
  override CFLAGS := -O1 -g -fno-omit-frame-pointer $(SANITIZE) -fno-sanitize-recover=undefined
  OPS_OPT := $(addprefix -fno-sanitize=,address null alignment object-size pointer-overflow)
else ifneq ($(TSAN),)
  SANITIZE := -fsanitize=thread
  override CFLAGS := -O1 -g -fno-omit-frame-pointer $(SANITIZE) -Wno-maybe-uninitialized# which is wrong at -O1
  OPS_OPT := -fno-sanitize=thread
endif
ifdef SANITIZE
  override LDFLAGS += $(SANITIZE)
endif
DC_CFLAGS := -std=gnu11 -D_GNU_SOURCE= -Isrc $(LUA_CFLAGS) $(EDIT_CFLAGS) $(WARN) $(CFLAGS) -fPIC -fvisibility=hidden -pthread
# A kernel's arithmetic must be what the kernel says: no contraction, no undefined overflow.
CPU_CFLAGS := -ffp-contract=off -fwrapv -fno-strict-aliasing
OPS_CFLAGS := $(OPS_OPT) -fno-math-errno -fno-trapping-math
ISA_baseline :=
ISA_avx2 := -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt
ISA_avx512 := $(ISA_avx2) -mavx512f -mavx512bw -mavx512dq -mavx512vl
SYSLIBS := -lm -ldl -lpthread

ISAS := baseline $(if $(findstring x86_64,$(MACHINE)),avx2 avx512)

# --- what is built from what ---------------------------------------------------------------------
OBJ := $(BUILD)/obj
GEN := $(BUILD)/gen
LOWER := base file compile device comm kernel cuda cpu array
# The interpreter's operations, and loops of the host: each file is compiled once for each instruction set.
OPS := $(wildcard src/cpu/ops/*.c) src/array/host/position.c
# What the MPI compiler of the user's machine compiles.
MPI_SHIM := $(wildcard src/comm/shim/*)
LIB_SRC := $(filter-out $(OPS) $(MPI_SHIM),$(foreach r,$(LOWER),$(wildcard src/$(r)/*.c src/$(r)/*/*.c)))
SHIMS := $(shell find src/compile/shims -type f | LC_ALL=C sort)
# Device functions of generated kernels.
DEVICE := $(wildcard src/array/device/*.cu)
# The headers that natively compiled kernels include.
SIMD := $(wildcard src/cpu/simd/*.h)
LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o) $(foreach i,$(ISAS),$(OPS:%.c=$(OBJ)/%.$(i).o)) \
           $(OBJ)/gen/shims.o $(OBJ)/gen/device.o $(OBJ)/gen/simd.o $(OBJ)/gen/mpi.o
LUA_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard src/lua/*.c)) $(OBJ)/gen/bytecode.o
EXE_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard src/dclua/*.c)) $(OBJ)/gen/embedded.o
LUA_FILES := $(shell find lua -name '*.lua' | LC_ALL=C sort)
UNIT_SRC := $(wildcard spec/c/test_*.c)
UNITS := $(UNIT_SRC:spec/c/%.c=$(BUILD)/spec/%)
# What ThreadSanitizer looks at, ten times slower: states in threads, launches by several threads, background builds.
# (It does not follow the jump out of a kernel that faults.)
TSAN_SPECS := $(wildcard spec/threads/*_spec.lua) spec/device/streams_spec.lua spec/kernel/launch_spec.lua \
  spec/cpu/shares-of-blocks_spec.lua
HOST := $(if $(SANITIZE),$(BUILD)/bin/lua5.4)
# The compiler process beside core.so needs no more than this.
COMPILER_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard src/compiler/*.c src/base/*.c src/compile/nvrtc/*.c))
FAKES := $(patsubst spec/fake/%.c,$(BUILD)/spec/lib%.so,$(wildcard spec/fake/fake_*.c))
BRIDGE := $(BUILD)/spec/kernels_bridge.so $(BUILD)/spec/states.so
COUNTING := $(BUILD)/spec/counting/dotcompute/core.so
FAILING := $(BUILD)/spec/failing_malloc.so
# The CUDA runtime of programs under test, where there is a toolkit with its headers.  Not with sanitizers, which nvcc's
# programs are not built with.
CUDA_ROOT := $(patsubst %/bin/nvcc,%,$(firstword $(wildcard $(addsuffix /bin/nvcc,$(CUDA_PATH) $(CUDA_HOME) /usr/local/cuda))))
CUDART := $(if $(SANITIZE),,$(if $(wildcard $(CUDA_ROOT)/include/fatbinary_section.h),$(BUILD)/spec/cudart/cudart.so))

DCLUA := $(BUILD)/dclua
CORE := $(BUILD)/dotcompute/core.so
COMPILER := $(BUILD)/dotcompute/compiler

all: $(DCLUA) $(CORE) $(COMPILER)
core: $(CORE) $(COMPILER)
units: $(UNITS) $(FAKES) $(HOST) $(BRIDGE) $(FAILING) $(COUNTING) $(CUDART)

# Objects depend on a file that changes when the compiler or its flags do.  (+: also under -n and -q.)
FLAGS := $(CC) $(DC_CFLAGS) | $(CPU_CFLAGS) | $(OPS_CFLAGS) | $(LDFLAGS) $(LIBFLAG) $(LUA_LINK) $(EDIT_LINK)
$(BUILD)/flags: FORCE
	+@mkdir -p $(@D)
	+@printf '%s\n' '$(FLAGS)' | cmp -s - $@ || printf '%s\n' '$(FLAGS)' > $@
# The same for the lists of files, so that a file taken away is noticed.
$(BUILD)/files: FORCE
	+@printf '%s\n' '$(LIB_OBJ) $(LUA_OBJ) $(EXE_OBJ) $(LUA_FILES) $(SHIMS) $(DEVICE) $(SIMD) $(MPI_SHIM)' | cmp -s - $@ || \
	  printf '%s\n' '$(LIB_OBJ) $(LUA_OBJ) $(EXE_OBJ) $(LUA_FILES) $(SHIMS) $(DEVICE) $(SIMD) $(MPI_SHIM)' > $@
$(BUILD)/files: | $(BUILD)/flags

COMPILE = @mkdir -p $(@D); echo "  CC $(1)"; $(CC) $(DC_CFLAGS) $(2) -MMD -MP -c -o $@ $(3)

$(OBJ)/src/cpu/%.o: src/cpu/%.c $(BUILD)/flags
	$(call COMPILE,$<,$(CPU_CFLAGS),$<)
$(OBJ)/src/%.o: src/%.c $(BUILD)/flags
	$(call COMPILE,$<,,$<)
$(OBJ)/gen/%.o: $(GEN)/%.c $(BUILD)/flags
	$(call COMPILE,$<,,$<)
define OPS_RULE
$(OBJ)/src/%.$(1).o: src/%.c $(BUILD)/flags
	$$(call COMPILE,$$< ($(1)),$$(CPU_CFLAGS) $$(OPS_CFLAGS) $$(ISA_$(1)) $$(OPS_FLAGS_$$*) -DDC_ISA=$(1),$$<)
endef
# A thousand functions of which everything is inlined: 20 MB of debugging information.
OPS_FLAGS_cpu/ops/functions := $(if $(SANITIZE),,-g0)
# Which of equal or unordered floats is the largest does not matter there (see the file).
OPS_FLAGS_array/host/position := -ffinite-math-only -fno-signed-zeros
$(foreach i,$(ISAS),$(eval $(call OPS_RULE,$(i))))

# Texts that travel inside the binaries: Lua modules in dclua, small headers in the compiler's room.
$(BUILD)/embed: tools/embed.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"; $(HOSTCC) -std=gnu11 $(WARN) -O1 -o $@ $<
$(GEN)/embedded.c: $(LUA_FILES) $(BUILD)/embed $(BUILD)/files
	@mkdir -p $(@D); $(BUILD)/embed dc_embedded_lua lua $(LUA_FILES) > $@.tmp && mv $@.tmp $@
# The same as bytecode, without the reference's pages; none where $(CC) does not compile for this machine.
$(BUILD)/precompile: tools/precompile.c src/base/hash.h src/lua/bytecode.h $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"; $(HOSTCC) -std=gnu11 -Isrc $(LUA_CFLAGS) $(WARN) -O1 -o $@ $< $(LUA_LINK) -lm -ldl
ifeq ($(CC),$(HOSTCC))
$(GEN)/bytecode.c: $(LUA_FILES) $(BUILD)/precompile $(BUILD)/files
	@mkdir -p $(@D); $(BUILD)/precompile lua $(filter-out lua/dotcompute/reference/%,$(LUA_FILES)) > $@.tmp && mv $@.tmp $@
else
$(GEN)/bytecode.c: $(BUILD)/flags
	@mkdir -p $(@D); printf '%s\n' '#include "lua/bytecode.h"' 'const dc_bytecode dc_bytecode_lua[] = {{ NULL, NULL, 0, 0 }};' \
	  'const dc_bytecode dc_bytecode_sample;' > $@
endif
$(GEN)/shims.c: $(SHIMS) src/compile/shims.def tools/shims.awk $(BUILD)/embed $(BUILD)/files
	@rm -rf $(GEN)/shims; mkdir -p $(@D); cp -R src/compile/shims $(GEN)/shims
	@awk -v out=$(GEN)/shims -f tools/shims.awk src/compile/shims.def
	@$(BUILD)/embed dc_embedded_shims $(GEN)/shims $$(find $(GEN)/shims -type f | LC_ALL=C sort) > $@.tmp && mv $@.tmp $@

$(GEN)/device.c: $(DEVICE) tools/sections.awk $(BUILD)/embed $(BUILD)/files
	@rm -rf $(GEN)/device; mkdir -p $(GEN)/device; awk -v out=$(GEN)/device -f tools/sections.awk $(DEVICE)
	@$(BUILD)/embed dc_embedded_device $(GEN)/device $$(find $(GEN)/device -type f | LC_ALL=C sort) > $@.tmp && mv $@.tmp $@

$(GEN)/simd.c: $(SIMD) $(BUILD)/embed $(BUILD)/files
	@mkdir -p $(@D); $(BUILD)/embed dc_embedded_simd src/cpu/simd $(SIMD) > $@.tmp && mv $@.tmp $@

$(GEN)/mpi.c: $(MPI_SHIM) $(BUILD)/embed $(BUILD)/files
	@mkdir -p $(@D); $(BUILD)/embed dc_embedded_mpi src/comm/shim $(MPI_SHIM) > $@.tmp && mv $@.tmp $@

# Lua's own functions come from the host, so core.so keeps them undefined; nodelete, because Lua
# unloads modules at its end while threads of ours may still run.
$(CORE): $(LIB_OBJ) $(LUA_OBJ) $(BUILD)/files
	@mkdir -p $(@D); echo "  LD $@"
	@$(CC) $(LIBFLAG) -pthread $(LDFLAGS) -Wl,-z,nodelete -o $@ $(LIB_OBJ) $(LUA_OBJ) $(SYSLIBS)
$(COMPILER): $(COMPILER_OBJ) $(BUILD)/files
	@mkdir -p $(@D); echo "  LD $@"
	@$(CC) -pthread $(LDFLAGS) -o $@ $(COMPILER_OBJ) $(SYSLIBS)
$(DCLUA): $(LIB_OBJ) $(LUA_OBJ) $(EXE_OBJ) $(BUILD)/files
	@echo "  LD $@"
	@$(CC) -pthread $(LDFLAGS) -Wl,-E -o $@ $(EXE_OBJ) $(LUA_OBJ) $(LIB_OBJ) $(LUA_LINK) $(EDIT_LINK) $(SYSLIBS)

$(BUILD)/libdotcompute.a: $(LIB_OBJ) $(BUILD)/files
	@rm -f $@; $(AR) rcs $@ $(LIB_OBJ)
$(BUILD)/spec/%: spec/c/%.c $(BUILD)/libdotcompute.a $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) $(DC_CFLAGS) $(CPU_CFLAGS) -MMD -MP -MF $@.d -MT $@ $(LDFLAGS) -o $@ $< $(BUILD)/libdotcompute.a $(SYSLIBS)
$(BUILD)/bin/lua5.4: tools/host.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) $(DC_CFLAGS) $(LDFLAGS) -Wl,-E -o $@ $< $(LUA_LINK) -lm -ldl
# Stand-ins for NVIDIA's libraries, which specs load in their place.
$(BUILD)/spec/lib%.so: spec/fake/%.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) -std=gnu11 -Isrc $(WARN) -O1 -g -fPIC -shared -MMD -MP -MF $@.d -MT $@ -o $@ $< -lm -pthread
# The module with a third device, which DOTCOMPUTE_DEVICE=counting chooses (tools/with.sh).
$(COUNTING): spec/device/counting.c $(LIB_OBJ) $(LUA_OBJ) $(COMPILER) $(BUILD)/files
	@mkdir -p $(@D); echo "  LD $@"; ln -sf $(abspath $(COMPILER)) $(@D)/compiler
	@$(CC) $(DC_CFLAGS) -MMD -MP -MF $@.d -MT $@ $(LIBFLAG) $(LDFLAGS) -Wl,-z,nodelete -o $@ $< $(LIB_OBJ) $(LUA_OBJ) \
	  $(SYSLIBS)
CUDART_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard spec/cudart/*.c))
$(OBJ)/spec/cudart/%.o: spec/cudart/%.c $(BUILD)/flags
	$(call COMPILE,$<,-fvisibility=default -isystem $(CUDA_ROOT)/include,$<)
$(CUDART): $(CUDART_OBJ) $(BUILD)/libdotcompute.a $(COMPILER)
	@mkdir -p $(@D); echo "  LD $@"; ln -sf $(abspath $(COMPILER)) $(@D)/compiler
	@$(CC) -shared -pthread $(LDFLAGS) -Wl,-z,nodelete -o $@ $(CUDART_OBJ) $(BUILD)/libdotcompute.a $(SYSLIBS)
# What specs need of C, as Lua modules: the kernel suite, threads.
$(BRIDGE): $(BUILD)/spec/%.so: spec/c/%.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) -std=gnu11 $(LUA_CFLAGS) $(WARN) -O2 -g $(SANITIZE) -fPIC -fvisibility=hidden -shared -o $@ $< -lm -ldl -pthread
# What stands between a process and its allocator: not sanitized, as it runs before a sanitizer is ready.
$(FAILING): spec/c/failing_malloc.c $(BUILD)/flags
	@mkdir -p $(@D); echo "  CC $<"
	@$(CC) -std=gnu11 $(LUA_CFLAGS) $(WARN) -O1 -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-builtin -fPIC \
	  -fvisibility=hidden -shared -o $@ $< -ldl
# What bench/ measures against: C loops, plain and with -ffast-math, which must not be among the linker's flags too
# (it would change the arithmetic of the whole process), and other programs' libraries.
BENCH_CC = @mkdir -p $(@D); echo "  CC $<"; $(CC) -std=gnu11 -Isrc $(LUA_CFLAGS) $(WARN) -Wno-unknown-pragmas -O3 -fPIC
BENCH := $(patsubst %,$(BUILD)/bench/%.so,native opencl nvrtc driver nccl)
BENCH_H := $(wildcard bench/*.h)
$(BUILD)/bench/%.o: bench/%.c $(BENCH_H) $(BUILD)/flags
	$(BENCH_CC) -march=native -c -o $@ $<
$(BUILD)/bench/loops.fast.o: bench/loops.c bench/loops.h $(BUILD)/flags
	$(BENCH_CC) -march=native -ffast-math -DTABLE=bench_fast -c -o $@ $<
$(BUILD)/bench/native.so: $(patsubst %,$(BUILD)/bench/%.o,loops loops.fast reference)
$(BUILD)/bench/%.so: bench/%.c $(BENCH_H) $(BUILD)/flags
	$(BENCH_CC) -shared -o $@ $< $(filter %.o,$^) -lm -ldl -lpthread

# The same with OpenMP.
$(BUILD)/bench/loops.openmp.o: bench/loops.c bench/loops.h $(BUILD)/flags
	$(BENCH_CC) -march=native -fopenmp -DTABLE=bench_openmp -c -o $@ $<
$(BUILD)/bench/loops.peers.o: bench/peers_cpu/loops.c bench/peers_cpu/functions.h bench/loops.h $(BUILD)/flags
	$(BENCH_CC) -march=native -fopenmp -c -o $@ $<
$(BUILD)/bench/openmp/native.so: bench/native.c $(patsubst %,$(BUILD)/bench/%.o,loops loops.fast reference loops.openmp loops.peers)
	$(BENCH_CC) -fopenmp -shared -Wl,-z,nodelete -o $@ $^ -lm -lpthread # OpenMP's threads outlive Lua

$(BUILD)/bench/start: bench/start.c $(BENCH_H) $(BUILD)/flags
	$(BENCH_CC) -o $@ $< -ldl

-include $(LIB_OBJ:.o=.d) $(COMPILER_OBJ:.o=.d) $(LUA_OBJ:.o=.d) $(EXE_OBJ:.o=.d) $(UNITS:=.d) $(FAKES:=.d) $(COUNTING).d $(CUDART_OBJ:.o=.d)

# --- the two commands ----------------------------------------------------------------------------
# Each brings what it needs first (tools/setup.sh), then starts make afresh, which finds it.
demo:
	@echo "demo: installs what is missing, builds, adds two vectors and filters an image"
	@CC="$(CC)" LUA="$(LUA)" LUA_INCDIR="$(LUA_INCDIR)" sh tools/setup.sh packages demo
	@sh tools/setup.sh build "$(MAKE) --no-print-directory" $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc || echo 1))
	@NVRTC="$(NVRTC)" sh tools/setup.sh nvrtc $(DCLUA)
	@sh tools/with.sh $(BUILD) $(DCLUA) examples/vecadd.lua
	@sh tools/with.sh $(BUILD) $(DCLUA) examples/convolve2d.lua
test:
	@CC="$(CC)" LUA="$(LUA)" LUA_INCDIR="$(LUA_INCDIR)" sh tools/setup.sh packages test
	@$(MAKE) --no-print-directory all units
	@NVRTC="$(NVRTC)" sh tools/setup.sh nvrtc $(DCLUA)
	@NVRTC="$(NVRTC)" sh tools/setup.sh tile $(DCLUA) || echo "test: the specs of tile kernels are skipped"
	@NVRTC="$(NVRTC)" DOTCOMPUTE_CACHE="$${DOTCOMPUTE_CACHE:-$(abspath $(BUILD))/cache}" \
	  LUA="$(LUA)" sh tools/with.sh $(BUILD) lua spec/run.lua $(or $(SPECS),$(if $(TSAN),$(TSAN_SPECS)))
# What tile kernels need besides.
tile: $(DCLUA)
	@NVRTC="$(NVRTC)" sh tools/setup.sh tile $(DCLUA)
# TABLES="cpu …" for some; ROWS="saxpy …": those kernels of bench/cpu.lua; TEN="name …": those of the suite for
# bench/suite.lua, else the ones that bench/ten.txt names, with THREADS threads, else 1.
bench: all $(BENCH) $(BRIDGE)
	@for t in $(or $(TABLES),cpu threads suite fresh); do threads=1; \
	  case $$t in cpu) set -- $(ROWS) ;; suite) set -- $(TEN); threads=$(or $(THREADS),1) ;; *) set -- ;; esac; \
	  LUA_CPATH="$(BUILD)/bench/?.so;;" LUA_PATH="bench/?.lua;;" DOTCOMPUTE_CPU_THREADS=$$threads \
	    sh tools/with.sh $(BUILD) $(DCLUA) bench/$$t.lua "$$@" || exit 1; done
# Arrays beside NumPy, two threads each, once native code is there. PYTHON: the one that has it.
bench-arrays: all
	@LUA_PATH="bench/?.lua;;" DOTCOMPUTE_DEVICE=cpu DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_CPU_THREADS=2 \
	  OMP_NUM_THREADS=2 OPENBLAS_NUM_THREADS=2 sh tools/with.sh $(BUILD) $(DCLUA) bench/arrays.lua $(ROWS)
# Kernels and arrays beside C with OpenMP, OpenCL, Numba, NumPy, PyTorch and JAX, which are brought into a folder of their
# own (PEERS). THREADS=2 or all; ROWS="saxpy …", TABLES="kernels arrays": some of them; WITHOUT="torch jax": not fetched.
bench-cpu-peers: all $(BUILD)/bench/openmp/native.so $(BUILD)/bench/opencl.so
	@PEERS="$(PEERS)" PYTHON="$(PYTHON)" THREADS="$(THREADS)" TABLES="$(TABLES)" WITHOUT="$(WITHOUT)" BUILD="$(BUILD)" \
	  sh bench/peers_cpu/run.sh $(ROWS)
# The same on a GPU: launches, graphs, streams; whole processes; arrays; messages between two.
bench-gpu: all $(BENCH) $(BUILD)/bench/start
	@for t in $(or $(TABLES),gpu start arrays comm); do \
	  LUA_CPATH="$(BUILD)/bench/?.so;;" LUA_PATH="bench/?.lua;;" \
	    sh tools/with.sh $(BUILD) $(DCLUA) bench/$$t.lua || exit 1; done
# Kernels in Lua beside CUDA C, on the GPU where there is one. ROWS="matmul launch first": some of them; NUMBA=1: beside
# Numba's too, by PYTHON.
bench-jit: all
	@LUA_PATH="bench/?.lua;;" NUMBA="$(NUMBA)" DOTCOMPUTE_CPU_TIER=1 DOTCOMPUTE_CPU_THREADS=1 \
	  sh tools/with.sh $(BUILD) $(DCLUA) bench/jit.lua $(ROWS)
# The pages that come from lua/dotcompute/reference/; LuaLS's file and the man page, too.
docs:
	@$(LUA) tools/docs.lua
lint:
	@sh tools/lint.sh

# --- installing, releases --------------------------------------------------------------------------
VERSION := $(shell sed -n 's/.*DC_VERSION "\(.*\)".*/\1/p' src/base/version.h)
INSTALL = $(foreach v,PREFIX DESTDIR BINDIR LIBDIR LUADIR DATADIR MANDIR DOCDIR PKGCONFIGDIR BUILD LUA VERSION,\
            $(v)='$($(v))') sh tools/install.sh
install: all
	@$(INSTALL) all
# What luarocks calls.
install-rock: all
	@$(INSTALL) rock
uninstall:
	@$(INSTALL) remove
dist:
	@sh tools/dist.sh $(VERSION) $(BUILD)/dotcompute-$(VERSION).tar.gz
clean:
	rm -rf $(BUILD)
print-specs: # that TSAN=1 runs
	@echo '$(TSAN_SPECS)'
print-flags:
	@echo '$(DC_CFLAGS)'
help:
	@sed -n 's/^## //p' Makefile

## make               build/dclua, build/dotcompute/core.so and its compiler process
## make demo          brings what is missing, builds, runs two examples
## make test          brings what is missing, builds, runs the specs   (SPECS="spec/array/*_spec.lua …" for some)
## make tile          fetches NVIDIA's compilers for tile kernels (CUDA 13.5), where there are none
## make bench         tables of our speed beside other programs'   (TABLES="cpu threads suite fresh launch" for some)
## make bench-cpu-peers  the CPU device beside OpenCL, OpenMP, Numba, NumPy, PyTorch, JAX   (TABLES, ROWS, THREADS, PEERS)
## make bench-arrays  arrays on the CPU device beside NumPy   (ROWS="sort …" for some)
## make bench-gpu     launches, start-up, arrays, messages beside C, CuPy, PyTorch, NCCL   (TABLES="gpu start arrays comm")
## make bench-jit     kernels in Lua beside CUDA C: speed, launches, first calls   (ROWS="matmul launch first" for some)
## make docs          docs/api.md, docs/reference/, docs/luals/, docs/dclua.1 from lua/dotcompute/reference/
## make lint          luacheck, clang-format, the rules of CONTRIBUTING.md
## make install       PREFIX=/usr/local DESTDIR= BINDIR= LIBDIR= LUADIR= DATADIR= MANDIR= DOCDIR= PKGCONFIGDIR=
## make uninstall     with the same folders: removes what was installed
## make dist          build/dotcompute-VERSION.tar.gz: the sources, which build without a network
## make clean         removes the build folder
##
## SAN=1              with AddressSanitizer and UBSan, in build-san
## TSAN=1             with ThreadSanitizer, in build-tsan; `make test` runs the specs about threads, unless SPECS says which
## BUILD=folder       builds there
## NVRTC=off          demo and test neither look for NVIDIA's compiler nor fetch it
## CC= HOSTCC= CFLAGS= LDFLAGS= LUA= LUA_INCDIR= LUA_LIBDIR= WERROR=1    as one expects

FORCE:
.PHONY: all core units demo test tile bench bench-arrays bench-cpu-peers bench-gpu bench-jit docs lint install \
        install-rock uninstall dist clean help print-flags print-specs FORCE
.DELETE_ON_ERROR:
.SECONDARY:
