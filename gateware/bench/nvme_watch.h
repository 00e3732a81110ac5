// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a host must do beside the commands, seen at its ports and at the drive's end of the link, one class for each:
//
// - Pieces: a command is given to the drive again only after an error status with Do Not Retry clear, `Retries` times at
//   most, and its user is told of no success before one of the tries had it.
// - ByItself: a host that failed begins again by itself, `Restarts` times at most before the drive runs. Where it did, and
//   the drive had run, the next flush that would succeed ends as *lost*.
// - Health: what is asked for ends, with all of the page that the drive sent last, or with a cause that was planted.
//
// What the blocks may hold after all this is in nvme_truth.h.
#pragma once
#include "nvme_frames.h"

class Pieces {
 public:
  uint64_t again = 0, made_good = 0;                    // given again; of these, with success in the end
  bool blind = false;                                   // a planted error: no status is seen

  // `of` are the user commands of which it may be a piece. Where there are several, it is not known which.
  void begun(const std::vector<UserCommand*>& of, uint64_t lba, unsigned blocks) {
    if (of.size() != 1) return;
    Piece p{lba, blocks};
    unsigned tries = ++of[0]->tries[p];
    if (tries == 1) return;
    again++;
    auto error = of[0]->broken.find(p);
    if (error == of[0]->broken.end()) wrong("given again without an error: " + of[0]->text());
    if (error->second & Dnr) wrong("given again in spite of DNR: " + of[0]->text());
    if (tries > Retries + 1) wrong("given again too often: " + of[0]->text());
  }
  void ended(const std::vector<UserCommand*>& of, uint64_t lba, unsigned blocks, unsigned status) {
    for (UserCommand* u : of) {
      if (status) {
        u->statuses.insert(status);
        continue;
      }
      auto error = u->broken.find({lba, blocks});
      if (error == u->broken.end() || error->second & Dnr) continue;
      made_good++;
      u->broken.erase(error);
    }
    if (status && of.size() == 1 && !blind) of[0]->broken[{lba, blocks}] = status;
  }
};

class ByItself {
 public:
  static constexpr unsigned Longest = 30000;            // cycles: the pause, and until what was taken has ended
  uint64_t begins = 0, lost = 0;

  // Each cycle, as the ports are then.
  void looks(uint64_t now, bool dead, bool run, bool told, bool link, bool lost_port) {
    if (dead && (!was_dead_ || !link)) since_ = now;
    if (dead) told_ = (was_dead_ && told_) || told;
    if (!dead && was_dead_) {
      may_++;
      if (!told_) {
        begins++;
        if (++tries_ > Restarts) wrong("begins by itself too often");
        if (ran_ && !lost_port) wrong("it began by itself, and does not say so");
      }
      owes_ = owes_ || lost_port;                       // told in the same moment, it may have been either
    }
    if (run) ran_ = true, tries_ = may_ = 0;
    if (dead && may_ < Restarts && now - since_ > Longest) wrong("does not begin by itself");
    was_dead_ = dead;
  }
  // A report is shown: it was made in the cycle before.
  void reported(bool flush, bool done, bool says_lost) {
    if (says_lost && (!flush || !owes_)) wrong("a loss that there was not");
    if (flush && done && owes_) wrong("a flush succeeded that had to tell of a loss");
    if (says_lost) owes_ = false, lost++;
  }

 private:
  uint64_t since_ = 0;
  unsigned tries_ = 0, may_ = 0;                        // surely by itself; so often at most
  bool was_dead_ = false, told_ = false, ran_ = false, owes_ = false;
};

class Health {
 public:
  static constexpr unsigned Longest = 400000;
  uint64_t ended = 0, failed = 0, refused = 0;
  bool spoil = false;                                   // a planted error
  bool asks() const { return asks_; }

  void ask(Side& s) {
    asks_ = true;
    since_ = s.now;
    ups_ = s.ups;
    at_ = 0;
    s.drive.log_statuses.clear();
  }
  template <typename Top> void looks(Top* top, Side& s) {
    if (top->log_valid_o) {
      if (!asks_ || at_ >= page_.size()) wrong("a log that nobody asked for, or more than a page");
      uint32_t dw = top->log_data_o ^ (spoil && ended > 2);
      memcpy(&page_[at_], &dw, 4);
      at_ += 4;
    }
    if (top->health_end_o) ends(top, s);
    if (asks_ && s.now - since_ > Longest) wrong("a log that does not end");
  }

 private:
  template <typename Top> void ends(Top* top, Side& s) {
    if (!asks_) wrong("a log ends that nobody asked for");
    asks_ = false;
    Why why = Why(top->health_why_o);
    bool known = s.known(ups_) >> why & 1;
    if (why == WhyStatus && s.drive.log_statuses.count(top->health_status_o)) {
      refused++;
    } else if (why != WhyNone) {
      failed++;
      if (!known) wrong(std::string("a log ends for what nothing has brought: ") + name_of(why));
    } else {
      ended++;
      if (at_ != page_.size() || page_ != s.drive.log) wrong("a log that is not as the drive sent it");
      uint64_t h = top->health_o;
      uint8_t begin[] = {uint8_t(h >> 40), uint8_t(h >> 24), uint8_t(h >> 32), uint8_t(h >> 16), uint8_t(h >> 8), uint8_t(h)};
      if (memcmp(begin, &page_[0], sizeof begin)) wrong("health that is not what the log says");
    }
  }

  bool asks_ = false;
  uint64_t since_ = 0, ups_ = 0;
  unsigned at_ = 0;
  std::array<uint8_t, BesideDrive::LogBytes> page_{};
};
