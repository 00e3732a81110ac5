"""Reads the symbols of a PCI Express link: ordered sets, DLLPs, TLPs, and what is wrong with them.

A second opinion: written from public descriptions alone, by somebody who had not read the first (docs/symbols-sources.md)."""

from .decoder import Decoder
from .events import Event
from .reader import FormatError, Stream, open_stream, read

__all__ = ["Decoder", "Event", "FormatError", "Stream", "open_stream", "read"]
