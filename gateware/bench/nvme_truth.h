// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What each block of a drive may hold, from what its user alone knows: which writes were given, how they were reported,
// which reads and flushes succeeded, and when the drive lost its power. It sees nothing of the host's inside and nothing of
// the drive's.
//
// A version is a block as one write makes it, or Write Zeroes, or a deallocation: that one may leave a block as it was, or make
// zeros or ones of it, so that it makes two versions possible and no other impossible. It may be what a read finds from when its write is given. It is that no
// longer once a write that was given after its end has succeeded, or a read that was given after its end found
// another. A write that failed may or may not have been done, block by block.
//
// It may be what the medium holds for longer: until a flush has succeeded, or a write with Force Unit Access. A
// loss of power makes everything that the medium may hold possible again.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>

class Truth {
 public:
  static constexpr uint64_t Never = ~0ull;
  // A write, a read or a flush since it was given.
  struct Given {
    uint64_t at, losses;
  };

  explicit Truth(unsigned blocks) : blocks_(blocks, {Version{}}) {}

  Given given(uint64_t now) const { return {now, losses_}; }
  // `id` is of the command, `serial` is what the block is then.
  void write_given(uint64_t id, uint64_t serial, unsigned block, uint64_t now) {
    Version v;
    v.id = id;
    v.serial = serial;
    v.given = now;
    v.ended = Never;
    blocks_[block].push_back(v);
  }
  // Whatever its report says.
  void write_ended(uint64_t id, unsigned block, uint64_t now) {
    for (Version& v : blocks_[block])
      if (v.id == id) v.ended = now;
  }
  void write_succeeded(uint64_t id, unsigned block, Given g, bool fua, uint64_t now) {
    for (Version& v : blocks_[block]) {
      if (v.id == id || v.ended == Never || v.ended >= g.at) continue;
      if (fua || g.losses == losses_) ends(v.found_until, now);
      if (fua) ends(v.kept_until, now);
    }
  }
  // Of a block that was formatted nothing is left that was given before: the Format has waited for all of it.
  void format_succeeded(uint64_t id, unsigned block, uint64_t now) {
    for (Version& v : blocks_[block])
      if (v.id < id) {
        ends(v.found_until, now);
        ends(v.kept_until, now);
      }
  }
  // Whether a read that was given then may find it.
  bool may_find(uint64_t serial, unsigned block, Given g) const {
    for (const Version& v : blocks_[block])
      if (v.serial == serial && v.found_until >= g.at) return true;
    return false;
  }
  void read_found(uint64_t serial, unsigned block, Given g, uint64_t now) {
    if (g.losses != losses_) return;
    for (Version& v : blocks_[block])
      if (v.serial != serial && v.ended != Never && v.ended < g.at) ends(v.found_until, now);
  }
  // All that was given before the flush has ended by now. Where power was lost since it was given, it must have succeeded
  // before that: at the drive that came back there is nothing left of what was acknowledged.
  void flush_succeeded(Given g, uint64_t now) {
    for (auto& block : blocks_)
      for (Version& v : block) {
        if (g.losses == losses_ && v.found_until != Never) ends(v.kept_until, now);
        if (g.losses + 1 == losses_ && v.given <= lost_at_ && !v.found_at_loss) {
          ends(v.found_until, now);
          ends(v.kept_until, now);
        }
      }
  }
  void power_lost(uint64_t now) {
    losses_++;
    lost_at_ = now;
    for (auto& block : blocks_)
      for (Version& v : block) {
        v.found_at_loss = v.found_until == Never;
        if (v.kept_until == Never) v.found_until = Never;
      }
  }
  // Whether a write of this is given and not ended, as far as the user knows: no other may reach a drive.
  bool is_out(uint64_t serial, unsigned block) const {
    for (const Version& v : blocks_[block])
      if (v.serial == serial) return v.ended == Never;
    return false;
  }
  // Forgets versions of which no read that is out may speak: none was given before `oldest`.
  void forget(uint64_t oldest) {
    for (auto& block : blocks_)
      for (size_t i = 0; i < block.size();)
        if (block[i].kept_until < oldest && block[i].found_until < oldest && block[i].ended != Never) block.erase(block.begin() + i);
        else i++;
  }
  std::string tell(unsigned block) const {
    std::string text;
    auto until = [](uint64_t t) { return t == Never ? std::string("now") : std::to_string(t); };
    for (const Version& v : blocks_[block])
      text += " write " + std::to_string(v.serial) + " of " + std::to_string(v.given) + ", ended " + until(v.ended) + ", possible until " +
              until(v.found_until) + ", on the medium until " + until(v.kept_until) + ";";
    return text + " power lost last at " + std::to_string(lost_at_);
  }
  uint64_t losses() const { return losses_; }
  // How many a read that was given then may find there: how sharp the check is.
  unsigned possible(unsigned block, Given g) const {
    std::set<uint64_t> found;
    for (const Version& v : blocks_[block])
      if (v.found_until >= g.at) found.insert(v.serial);
    return found.size();
  }

 private:
  struct Version {
    uint64_t id = 0, serial = 0, given = 0, ended = 0, found_until = Never, kept_until = Never;
    bool found_at_loss = true;
  };
  static void ends(uint64_t& until, uint64_t now) {
    if (until == Never) until = now;
  }
  std::vector<std::vector<Version>> blocks_;
  uint64_t losses_ = 0, lost_at_ = 0;
};
