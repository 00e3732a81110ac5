"""Reads a trace with Perfetto's own message definitions and checks the rules of track events.

Usage: check_tracks.py FILE. Prints what it found as one line of JSON; ends with 1 where a rule is broken.
"""

import json
import sys
from collections import defaultdict

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb

EVENT = pb.TrackEvent


def main(path):
    trace = pb.Trace()
    with open(path, "rb") as file:
        trace.ParseFromString(file.read())
    declared, names, notes, texts = {}, {}, {}, {}
    depth, last, slices = defaultdict(int), defaultdict(int), defaultdict(int)
    begun, ended, broken = defaultdict(int), defaultdict(int), []
    counters = defaultdict(list)
    for number, packet in enumerate(trace.packet):
        if packet.trusted_packet_sequence_id == 0:
            broken.append(f"packet {number} is of no sequence")
        if number == 0 and not packet.sequence_flags & pb.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED:
            broken.append("the first packet does not say that interned texts begin anew")
        for table, entries in (
            (names, packet.interned_data.event_names),
            (notes, packet.interned_data.debug_annotation_names),
            (texts, packet.interned_data.debug_annotation_string_values),
        ):
            for entry in entries:
                table[entry.iid] = entry.name if hasattr(entry, "name") else entry.str
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            if descriptor.uuid in declared:
                broken.append(f"track {descriptor.uuid} is declared twice")
            if descriptor.parent_uuid and descriptor.parent_uuid not in declared:
                broken.append(f"the parent of track {descriptor.uuid} is declared behind it")
            declared[descriptor.uuid] = descriptor
        if not packet.HasField("track_event"):
            continue
        event = packet.track_event
        track = declared.get(event.track_uuid)
        if track is None:
            broken.append(f"packet {number} is on track {event.track_uuid}, which is not declared before it")
            continue
        if packet.timestamp < last[event.track_uuid]:
            broken.append(f"packet {number} goes back in time on {track.name}")
        last[event.track_uuid] = packet.timestamp
        if event.type in (EVENT.TYPE_SLICE_BEGIN, EVENT.TYPE_INSTANT) and event.name_iid not in names:
            broken.append(f"packet {number} has no name")
        for note in event.debug_annotations:
            if note.name_iid not in notes or (note.string_value_iid and note.string_value_iid not in texts):
                broken.append(f"a note of packet {number} has no text")
        if event.type == EVENT.TYPE_SLICE_BEGIN:
            depth[event.track_uuid] += 1
            slices[names.get(event.name_iid, "").split()[0]] += 1
            if depth[event.track_uuid] > 1:
                broken.append(f"packet {number}: two slices at once on {track.name}")
        elif event.type == EVENT.TYPE_SLICE_END:
            depth[event.track_uuid] -= 1
            if depth[event.track_uuid] < 0:
                broken.append(f"packet {number}: an end without a begin on {track.name}")
        elif event.type == EVENT.TYPE_COUNTER:
            if not track.HasField("counter"):
                broken.append(f"packet {number}: {track.name} is no counter")
            counters[track.name].append(event.counter_value)
        for flow in event.flow_ids:
            if ended[flow]:
                broken.append(f"arrow {flow} goes on behind its end")
            begun[flow] += 1
        for flow in event.terminating_flow_ids:
            ended[flow] += 1
    broken += [f"{declared[uuid].name}: {open_} begins without an end" for uuid, open_ in depth.items() if open_]
    broken += [f"arrow {flow} begins and does not end" for flow in begun if ended[flow] != 1]
    broken += [f"arrow {flow} ends and did not begin" for flow in ended if not begun[flow]]
    for text in broken[:20]:
        print(text, file=sys.stderr)
    found = {
        "packets": len(trace.packet),
        "tracks": sorted(track.name or track.process.process_name for track in declared.values()),
        "slices": dict(sorted(slices.items())),
        "arrows": len(begun),
        "counters": {name: [len(values), min(values), max(values), values[-1]] for name, values in counters.items()},
    }
    print(json.dumps(found))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
