// What kind of thing each mnemonic is, by name. A mnemonic that is not in this table is outside the
// model, even if the decoder prints it; the analysis then ends in a reason.
//
// Source: the table of mnemonics in the design notes, whose every row was seen through ptxas or in
// shipped libraries.
#pragma once

#include "sass/instruction.hpp"

namespace picker::semantics {

// How an opcode concerns the engine that runs it.
enum class Class : u8 {
  kData,          // registers only
  kMemory,        // may read or write memory
  kControl,       // control.hpp
  kNothing,       // no effect on the data of any thread: hints, fences, convergence
  kBlockBarrier,  // BAR and its results
  kEffect,        // outside the model: ends in a reason
};

// Arriving and waiting at the barrier of a cluster of blocks: no effect on data.
[[nodiscard]] bool is_cluster_barrier(sass::Opcode opcode);

[[nodiscard]] Class class_of(const sass::Instruction& in);
[[nodiscard]] bool is_texture_or_surface(sass::Opcode opcode);
// Programmatic dependent launch: PREEXIT, ACQBULK.
[[nodiscard]] bool is_programmatic(sass::Opcode opcode);

}  // namespace picker::semantics
