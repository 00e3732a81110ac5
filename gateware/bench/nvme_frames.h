// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a user has asked for, and the frames of read data that it gets: each has its length, or ends where the rules of
// ls_nvme_host or of ls_nvme_stripe let it end. Which blocks may be there is not known here.
#pragma once
#include "nvme_side.h"

#include <array>
#include <set>

using Piece = std::pair<uint64_t, unsigned>;            // of a user command, as the drive gets it: block, blocks
struct UserCommand {
  Op op = OpFlush;
  bool fua = false;
  uint64_t lba = 0, serial = 0;                         // `serial` is of what changes blocks
  unsigned blocks = 0, tag = 0;
  std::array<Truth::Given, Drives> given{};
  std::array<uint64_t, Drives> ups{};                   // how often each host had come up then
  std::set<unsigned> statuses;                          // that pieces of it may have got
  bool must_fail = false;                               // one of them surely is of this command, and final
  bool refuse = false;                                  // a Format that must not be done
  std::map<Piece, unsigned> tries, broken;              // how often a piece was given; the error that it ended with
  bool stripe = true;                                   // there was one when it was taken
  int why = -1;                                         // as reported
  bool changes() const { return op == OpWrite || op == OpZero || op == OpTrim || (op == OpFormat && !refuse); }
  // What it may make of a block.
  std::vector<uint64_t> makes() const {
    if (op == OpTrim || (op == OpFormat && !refuse)) return {Zeros, Ones};
    return op == OpWrite ? std::vector<uint64_t>{serial} : op == OpZero ? std::vector<uint64_t>{Zeros} : std::vector<uint64_t>{};
  }
  // Its blocks on a drive, if there are any: they follow each other.
  bool part(unsigned drive, uint64_t& first, uint64_t& end) const {
    bool any = false;
    for (uint64_t b = lba; b < lba + blocks; b++) {
      if (drive_of(b * BlockBytes) != drive) continue;
      uint64_t at = drive_place(b * BlockBytes) / BlockBytes;
      if (!any) first = at;
      any = true;
      end = at + 1;
    }
    return any;
  }
  std::string text() const {
    static const char* names[] = {"read of ", "write of ", "flush of ", "Write Zeroes of ", "deallocation of ", "Format of "};
    return names[op] + std::to_string(blocks) + " blocks from " + std::to_string(lba) + ", given at " + std::to_string(given[0].at);
  }
};

// A beat of the read stream.
struct ReadBeat {
  uint8_t data[RowBytes];
  bool whole = false, last = false, error = false;      // `whole`: all bytes are kept, else the first alone
};

class Frames {
 public:
  std::deque<UserCommand> reads;                        // whose frames are not complete, or not reported
  std::function<void(const UserCommand&, uint64_t lba, uint64_t serial)> shows;        // a block without an error
  std::function<void(const UserCommand&, uint64_t lba, uint64_t serial)> succeeds;     // of a read that is reported done

  void asked(const UserCommand& c) {
    reads.push_back(c);
    frames_.emplace_back();
  }
  bool begun() const { return !frames_.empty() && !frames_[0].ended && !frames_[0].bytes.empty(); }
  void reported(const UserCommand& c) {
    for (UserCommand& read : reads)
      if (read.tag == c.tag && read.why < 0) read.why = c.why;
    end();
  }
  void beat(const ReadBeat& b) {
    size_t at = 0;
    while (at < frames_.size() && frames_[at].ended) at++;
    if (at == frames_.size()) wrong("data that nobody asked for");
    Frame& f = frames_[at];
    const UserCommand& c = reads[at];
    bool cut = b.error && !b.whole;                     // the frame ends here
    if (cut) {
      if (!b.last || f.bytes.size() % BlockBytes || (Drives > 1 && !f.bytes.empty())) wrong("an error that is not at the end of a block");
    } else {
      if (!b.whole) wrong("a beat with bytes that are not kept");
      if (Drives == 1 && b.error) wrong("an error that does not end its frame");
      row(f, c, b);
    }
    f.error |= b.error;
    f.ended = b.last;
    if (f.ended && !cut && f.bytes.size() != c.blocks * BlockBytes) wrong("a frame that is too short");
    end();
  }

 private:
  struct Frame {
    std::vector<uint8_t> bytes;
    bool ended = false, error = false;
    std::array<bool, Drives> failed{};                  // of a stripe: this drive's blocks from there on
  };
  void row(Frame& f, const UserCommand& c, const ReadBeat& b) {
    uint64_t pos = f.bytes.size(), lba = c.lba + pos / BlockBytes;
    bool& failed = f.failed[drive_of(lba * BlockBytes)];
    if (b.error && !failed && pos % BlockBytes) wrong("an error that begins within a block");
    if (failed && !b.error) wrong("data of a drive whose part of the read has failed");
    failed = b.error;
    if (b.error && std::any_of(b.data, b.data + RowBytes, [](uint8_t x) { return x; })) wrong("bytes of a row in error");
    f.bytes.insert(f.bytes.end(), b.data, b.data + RowBytes);
    if (f.bytes.size() > c.blocks * BlockBytes) wrong("a frame that is too long");
    if (f.bytes.size() % BlockBytes == 0 && !failed) block(c, &f.bytes[f.bytes.size() - BlockBytes], lba);
  }
  void block(const UserCommand& c, const uint8_t* from, uint64_t lba) {
    uint64_t serial, word;
    memcpy(&serial, from, 8);
    for (unsigned i = 0; i < BlockWords; i++) {
      memcpy(&word, from + 8 * i, 8);
      if (word != word_of(serial, lba, i)) wrong("a wrong word " + std::to_string(i) + " of block " + std::to_string(lba));
    }
    shows(c, lba, serial);
  }
  // A read is over with its frame and its report.
  void end() {
    while (!reads.empty() && frames_[0].ended && reads[0].why >= 0) {
      const UserCommand& c = reads[0];
      if (frames_[0].error != (c.why != WhyNone)) wrong("a frame and its report disagree");
      for (unsigned b = 0; c.why == WhyNone && b < c.blocks; b++) {
        uint64_t serial;
        memcpy(&serial, &frames_[0].bytes[b * BlockBytes], 8);
        succeeds(c, c.lba + b, serial);
      }
      reads.pop_front();
      frames_.pop_front();
    }
  }
  std::deque<Frame> frames_;                            // one for each of `reads`
};
