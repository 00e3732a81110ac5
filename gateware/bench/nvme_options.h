// SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
//
// What a run of nvme.cpp or nvme_stripe.cpp is told, as words NAME=VALUE.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <string>

[[noreturn]] void wrong(const std::string& what);

struct Options {
  unsigned gen = 1, mhz = 125, mps = 128;
  uint64_t bytes = 64 << 20;        // to move
  unsigned command = 131072;        // bytes of a user command
  unsigned depth = 1 << 20;         // user commands that are not reported yet, at most
  bool write = false, random = false;
  double latency_ns = 1000;         // of a command at the drive, from its entry to its first data
  double flight_ns = 150;           // from the last byte on the wire to the other end
  double input = 0;                 // bytes/s of write data that come, where not as fast as taken
  uint64_t cache = 0;               // after so many bytes written
  double pause_ns = 0;              // the drive takes none for so long

  Options(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
      std::string a = argv[i];
      size_t eq = a.find('=');
      std::string key = a.substr(0, eq);
      double v = eq == std::string::npos ? 1 : atof(a.c_str() + eq + 1);
      if (key == "gen") gen = v;
      else if (key == "mhz") mhz = v;
      else if (key == "mps") mps = v;
      else if (key == "bytes") bytes = v;
      else if (key == "command") command = v;
      else if (key == "depth") depth = v;
      else if (key == "write") write = v;
      else if (key == "random") random = v;
      else if (key == "latency") latency_ns = v;
      else if (key == "flight") flight_ns = v;
      else if (key == "input") input = v;
      else if (key == "cache") cache = v;
      else if (key == "pause") pause_ns = v;
      else wrong("what is " + a);
    }
    bytes = bytes / command * command;
  }
};
