// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// Moments at which a fault is aimed. Faults at any time seldom meet two things at once; what goes wrong in a host is often
// of that kind: the failure of one thing while another is half done. A moment is seen at the host's ports and at the drive's
// end of the link. What the host has in it is no matter here.
#pragma once
#include "nvme_world.h"

enum class Moment { Any, BringUp, DataAsked, BufferFull, FlushWaits, FlushOut, ReadLeaves, ReportWaits, Dead, Count };
inline const char* name_of(Moment m) {
  static const char* names[] = {
    "any time", "bring-up", "requests of the drive are out", "the buffer of write data is full, and the drive reads from it",
    "a flush waits for commands before it", "a flush is the oldest that is out", "a frame of read data has begun", "a report is not taken",
    "the host has failed, and commands are out"};
  return names[unsigned(m)];
}

// At the side of a drive, or for the user.
inline bool has_come(Moment m, const World& w, const Side& s) {
  switch (m) {
    case Moment::BringUp: return !s.up() && !s.dead();
    case Moment::DataAsked: return s.drive.asked() >= 4;
    case Moment::BufferFull: return w.refused_for() > 60 && s.drive.asked() >= 2;
    case Moment::FlushWaits: return std::any_of(w.out.begin() + !w.out.empty(), w.out.end(), [](auto& c) { return c.op == OpFlush; });
    case Moment::FlushOut: return !w.out.empty() && w.out[0].op == OpFlush;
    case Moment::ReadLeaves: return w.frames.begun();
    case Moment::ReportWaits: return w.top->done_valid_o && !w.top->done_ready_i;
    case Moment::Dead: return s.dead() && !w.out.empty();
    default: return true;
  }
}
