-- Shows lanescope's traces of PCI Express links in Wireshark and tshark: TLPs and DLLPs by field, requests with their
-- completions, and how long the answers took. The packets are described in docs/traces.md.
--
--   tshark -X lua_script:docs/lanescope.lua -r trace.pcapng
--   wireshark -X lua_script:docs/lanescope.lua trace.pcapng
--
-- Or put this file into Wireshark's folder of plugins (Help, About, Folders).

local proto = Proto("lanescope", "PCI Express as simulated by lanescope")
local f = proto.fields

local kinds = { [0] = "TLP", [1] = "DLLP" }
local ways = { [0] = "down, away from the host", [1] = "up, towards the host" }
local types = {
  [0x00] = "MRd", [0x20] = "MRd", [0x40] = "MWr", [0x60] = "MWr", [0x0a] = "Cpl", [0x4a] = "CplD",
}
local statuses = { [0] = "Successful Completion", [1] = "Unsupported Request", [4] = "Completer Abort" }
local dllps = {
  [0x00] = "Ack", [0x10] = "Nak", [0x80] = "UpdateFC-P", [0x90] = "UpdateFC-NP", [0xa0] = "UpdateFC-Cpl",
}

f.version = ProtoField.uint8("lanescope.version", "Version of the pseudo-header")
f.kind = ProtoField.uint8("lanescope.kind", "Kind", base.DEC, kinds)
f.up = ProtoField.uint8("lanescope.up", "Direction", base.DEC, ways)
f.gen = ProtoField.uint8("lanescope.gen", "Generation")
f.lanes = ProtoField.uint8("lanescope.lanes", "Lanes")
f.link = ProtoField.uint16("lanescope.link", "Link")
f.flow = ProtoField.uint16("lanescope.flow", "Flow")
f.duration = ProtoField.uint32("lanescope.duration_ps", "Time on the wire, ps")
f.start = ProtoField.uint64("lanescope.start_fs", "First symbol, fs since the start")

f.sequence = ProtoField.uint16("lanescope.tlp.seq", "Sequence number")
f.type = ProtoField.uint8("lanescope.tlp.fmt_type", "Format and type", base.HEX, types)
f.name = ProtoField.string("lanescope.tlp.type", "Type")
f.length = ProtoField.uint16("lanescope.tlp.length_dw", "Length, DW")
f.requester = ProtoField.string("lanescope.tlp.requester", "Requester ID")
f.completer = ProtoField.string("lanescope.tlp.completer", "Completer ID")
f.tag = ProtoField.uint16("lanescope.tlp.tag", "Tag")
f.address = ProtoField.uint64("lanescope.tlp.address", "Address", base.HEX)
f.first_be = ProtoField.uint8("lanescope.tlp.first_be", "First DW byte enables", base.HEX, nil, 0x0f)
f.last_be = ProtoField.uint8("lanescope.tlp.last_be", "Last DW byte enables", base.HEX, nil, 0xf0)
f.status = ProtoField.uint8("lanescope.tlp.status", "Completion status", base.DEC, statuses, 0xe0)
f.byte_count = ProtoField.uint16("lanescope.tlp.byte_count", "Byte count still to come")
f.lower_address = ProtoField.uint8("lanescope.tlp.lower_address", "Lower address", base.HEX, nil, 0x7f)
f.data = ProtoField.bytes("lanescope.tlp.data", "Payload")
f.data_bytes = ProtoField.uint32("lanescope.tlp.data_bytes", "Payload, bytes in whole DW")
f.lcrc = ProtoField.uint32("lanescope.tlp.lcrc", "LCRC", base.HEX)

f.dllp = ProtoField.uint8("lanescope.dllp.type", "DLLP type", base.HEX, dllps)
f.ack = ProtoField.uint16("lanescope.dllp.ack_seq", "Acknowledged up to sequence number")
f.header_credits = ProtoField.uint8("lanescope.dllp.hdr_fc", "Header credits granted, modulo 256")
f.data_credits = ProtoField.uint16("lanescope.dllp.data_fc", "Data credits granted, modulo 4096")
f.crc = ProtoField.uint16("lanescope.dllp.crc", "CRC", base.HEX)

f.response_in = ProtoField.framenum("lanescope.response_in", "Answered in", base.NONE, frametype.RESPONSE)
f.response_to = ProtoField.framenum("lanescope.response_to", "Answers", base.NONE, frametype.REQUEST)
f.response_time = ProtoField.double("lanescope.response_ns", "From request to this completion, ns")

local interface = Field.new("frame.interface_name")

-- Requests in flight by link, requester and tag; what is known of each frame.
local open, request_of, answer_of, waited = {}, {}, {}, {}

function proto.init()
  open, request_of, answer_of, waited = {}, {}, {}, {}
end

local function bdf(bits)
  return string.format("%02x:%02x.%x", bit.rshift(bits, 8), bit.band(bit.rshift(bits, 3), 31), bit.band(bits, 7))
end

-- Remembers, in the first pass over the file, which completion belongs to which request.
local function match(pinfo, key, start, is_request, last)
  if pinfo.visited then return end
  if is_request then
    open[key] = { frame = pinfo.number, start = start }
    return
  end
  local request = open[key]
  if request == nil then return end
  request_of[pinfo.number] = request.frame
  waited[pinfo.number] = (start - request.start):tonumber() / 1e6
  if last then
    answer_of[request.frame] = pinfo.number
    open[key] = nil
  end
end

local function show_match(pinfo, tree)
  local answer, request = answer_of[pinfo.number], request_of[pinfo.number]
  if answer then tree:add(f.response_in, answer):set_generated() end
  if request then
    tree:add(f.response_to, request):set_generated()
    tree:add(f.response_time, waited[pinfo.number]):set_generated()
  end
end

local function payload(tvb, tree, at, bytes)
  tree:add(f.data_bytes, bytes):set_generated()
  local there = math.min(bytes, tvb:len() - at)
  if there <= 0 then return end
  tree:add(f.data, tvb(at, there))
  if tvb:len() >= at + bytes + 4 then tree:add(f.lcrc, tvb(at + bytes, 4)) end
end

local function tlp(tvb, pinfo, tree, link, start)
  if tvb:len() < 14 then return end
  local sequence = bit.band(tvb(0, 2):uint(), 0xfff)
  tree:add(f.sequence, tvb(0, 2), sequence)
  local kind = tvb(2, 1):uint()
  local name = types[kind] or string.format("TLP %02x", kind)
  tree:add(f.type, tvb(2, 1))
  tree:add(f.name, tvb(2, 1), name)
  local length = bit.band(tvb(4, 2):uint(), 0x3ff)
  if length == 0 then length = 1024 end
  tree:add(f.length, tvb(4, 2), length)
  local high = bit.bor(bit.lshift(bit.band(tvb(3, 1):uint(), 0x80), 2), bit.lshift(bit.band(tvb(3, 1):uint(), 0x08), 5))
  local info
  if types[kind] == "MRd" or types[kind] == "MWr" then
    local requester, tag = bdf(tvb(6, 2):uint()), high + tvb(8, 1):uint()
    local long = bit.band(kind, 0x20) ~= 0
    local header = long and 16 or 12
    if tvb:len() < 2 + header then return end
    tree:add(f.requester, tvb(6, 2), requester)
    tree:add(f.tag, tvb(8, 1), tag)
    tree:add(f.last_be, tvb(9, 1))
    tree:add(f.first_be, tvb(9, 1))
    local address = long and tvb(10, 8):uint64() or UInt64(tvb(10, 4):uint())
    tree:add(f.address, tvb(10, header - 8), address)
    info = string.format("%s %d DW, 0x%s, %s tag %d", name, length, address:tohex():gsub("^0+(.)", "%1"), requester, tag)
    if name == "MRd" then
      match(pinfo, table.concat({ link, requester, tag }, "/"), start, true, false)
      if tvb:len() >= 2 + header + 4 then tree:add(f.lcrc, tvb(2 + header, 4)) end
    else
      payload(tvb, tree, 2 + header, 4 * length)
    end
  elseif types[kind] then
    local completer, requester = bdf(tvb(6, 2):uint()), bdf(tvb(10, 2):uint())
    local tag, count = high + tvb(12, 1):uint(), bit.band(tvb(8, 2):uint(), 0xfff)
    if count == 0 then count = 4096 end
    local lower = bit.band(tvb(13, 1):uint(), 0x7f)
    tree:add(f.completer, tvb(6, 2), completer)
    tree:add(f.status, tvb(8, 1))
    tree:add(f.byte_count, tvb(8, 2), count)
    tree:add(f.requester, tvb(10, 2), requester)
    tree:add(f.tag, tvb(12, 1), tag)
    tree:add(f.lower_address, tvb(13, 1))
    local last = count <= 4 * length - lower % 4
    match(pinfo, table.concat({ link, requester, tag }, "/"), start, false, last)
    info = string.format("%s %d DW, to %s tag %d, %d B to come", name, length, requester, tag, count)
    if kind == 0x4a then payload(tvb, tree, 14, 4 * length) end
  else
    info = name
  end
  show_match(pinfo, tree)
  pinfo.cols.info = info .. string.format(", seq %d", sequence)
end

local function dllp(tvb, pinfo, tree)
  if tvb:len() < 6 then return end
  local kind = tvb(0, 1):uint()
  local name = dllps[kind] or string.format("DLLP %02x", kind)
  tree:add(f.dllp, tvb(0, 1))
  if kind == 0x00 or kind == 0x10 then
    local sequence = bit.band(tvb(2, 2):uint(), 0xfff)
    tree:add(f.ack, tvb(2, 2), sequence)
    pinfo.cols.info = string.format("%s up to seq %d", name, sequence)
  elseif dllps[kind] then
    local word = tvb(0, 4):uint()
    local header, data = bit.band(bit.rshift(word, 14), 0xff), bit.band(word, 0xfff)
    tree:add(f.header_credits, tvb(1, 2), header)
    tree:add(f.data_credits, tvb(2, 2), data)
    pinfo.cols.info = string.format("%s header %d, data %d", name, header, data)
  else
    pinfo.cols.info = name
  end
  tree:add(f.crc, tvb(4, 2))
end

function proto.dissector(tvb, pinfo, root)
  if tvb:len() < 24 or tvb(0, 1):uint() ~= 1 then return 0 end
  local size, kind, link = tvb(1, 1):uint(), tvb(2, 1):uint(), tvb(6, 2):uint()
  if size < 24 or tvb:len() < size then return 0 end
  local tree = root:add(proto, tvb())
  local pseudo = tree:add(proto, tvb(0, size), "Where and when")
  pseudo:add(f.version, tvb(0, 1))
  pseudo:add(f.kind, tvb(2, 1))
  pseudo:add(f.up, tvb(3, 1))
  pseudo:add(f.gen, tvb(4, 1))
  pseudo:add(f.lanes, tvb(5, 1))
  pseudo:add(f.link, tvb(6, 2))
  if tvb(8, 2):uint() ~= 0xffff then pseudo:add(f.flow, tvb(8, 2)) end
  pseudo:add(f.duration, tvb(12, 4))
  pseudo:add(f.start, tvb(16, 8))
  pinfo.cols.protocol = kinds[kind] or "PCIe"
  local name = interface()
  local from, to = (name and tostring(name) or ""):match("^(.-) %-> (.*)$")
  if from then
    pinfo.cols.src = from
    pinfo.cols.dst = to
  end
  local packet = tvb(size):tvb()
  if kind == 0 then
    tlp(packet, pinfo, tree, link, tvb(16, 8):uint64())
  elseif kind == 1 then
    dllp(packet, pinfo, tree)
  end
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, proto)
