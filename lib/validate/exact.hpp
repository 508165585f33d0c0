// The exact tier: every thread of the launch is followed, and the sets of bytes are compared.
//
// Where ranges overlap and neither strides nor dimensions tell the sets apart, the addresses are
// still functions of the arguments in most launches. Following each thread with memory unknown
// (thread_walk.hpp) gives them exactly, if no thread's path or address turns out to depend on
// memory or on anything that may differ between runs. Then
//   premise 1  R and W are the unions over all threads; a read is left out only where it is
//              *shielded*: the load is a coherent one, and the byte was surely written before,
//              synchronously, by the same thread, or by a thread of the same block ahead of a
//              barrier that both passed;
//   premise 2  holds, for every address, guard and branch was computed from the arguments alone.
// One thread that cannot be followed to its end leaves the question open.
//
// Why the block's stores shield. Let a thread read a byte behind its n-th barrier of the whole
// block, and another thread of the block store to it ahead of its own n-th one, and pass that. All
// barriers of all the block's threads are the same one, number 0, for all threads, so the n-th of
// the one is the n-th of the other (threads that have exited are waited for by nobody, which is why
// the storing thread has to pass it). BAR.SYNC orders the store before the load (PTX ISA, "bar"),
// in every run: a killed launch runs the block again from its start, store first. So the load never
// sees what was there before the launch. If a thread of another block stores to the byte too, the
// load races with that, in an undisturbed run as well.
//
// Cost: all instructions of all threads, within the walk's counted budget; off the launch path.
#pragma once

#include "validate/thread_walk.hpp"
#include "validate/verdict.hpp"

namespace picker::validate {

// The verdict of all tiers. `walk` must belong to `summary` and `launch`. Never fails.
[[nodiscard]] Verdict validate_exactly(const analysis::Summary& summary, const Launch& launch,
                                       ThreadWalk& walk);

}  // namespace picker::validate
