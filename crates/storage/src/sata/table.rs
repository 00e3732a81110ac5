//! What software writes of a command into memory: the header and the table of AHCI, or the message of a SAS adapter.

use super::params::{Protocol, REGION_BYTES, TABLE_BYTES};
use crate::block::BLOCK_BYTES;
use queues::Transfer;

/// FIS type of a command, and the commands of Native Command Queueing (ATA Command Set: READ and WRITE FPDMA QUEUED).
const COMMAND_FIS: u8 = 0x27;
const READ_QUEUED: u8 = 0x60;
const WRITE_QUEUED: u8 = 0x61;
/// The end of the first region in the longest of these.
pub(crate) const MOST_TABLE: usize = (TABLE_BYTES + REGION_BYTES) as usize;

/// Where the list of regions is: in a table of AHCI at 80h (Command Table: PRDT), in a message of a SAS adapter at 60h.
fn regions(protocol: Protocol) -> usize {
    match protocol {
        Protocol::Ahci => TABLE_BYTES as usize,
        Protocol::Sas => 0x60,
    }
}

/// The start of the table of a command with `tag`: its FIS and its first region. All regions lie one after another.
pub(crate) fn table(of: &Transfer, tag: u32, protocol: Protocol) -> Vec<u8> {
    let at = regions(protocol);
    let mut table = vec![0; at + REGION_BYTES as usize];
    table[0] = COMMAND_FIS;
    table[2] = if of.reads { READ_QUEUED } else { WRITE_QUEUED };
    let (block, count) = (of.at / BLOCK_BYTES, of.bytes / BLOCK_BYTES);
    table[4..7].copy_from_slice(&block.to_le_bytes()[..3]);
    table[8..11].copy_from_slice(&block.to_le_bytes()[3..6]);
    // The count is where features are in other commands, the tag where the count is.
    (table[3], table[11]) = (count as u8, (count >> 8) as u8);
    table[12] = (tag as u8) << 3;
    table[at..at + 8].copy_from_slice(&of.address.to_le_bytes());
    let last = (of.bytes - 1) as u32 & 0x3f_ffff;
    table[at + 12..at + 16].copy_from_slice(&last.to_le_bytes());
    table
}

/// What a table says; `None` where it is none, or of another command.
pub(crate) fn transfer(table: &[u8], protocol: Protocol) -> Option<Transfer> {
    let word = |at: usize| Some(u64::from_le_bytes(table.get(at..at + 8)?.try_into().ok()?));
    let reads = match (*table.first()?, *table.get(2)?) {
        (COMMAND_FIS, READ_QUEUED) => true,
        (COMMAND_FIS, WRITE_QUEUED) => false,
        _ => return None,
    };
    let block = (word(4)? & 0xff_ffff) | (word(8)? & 0xff_ffff) << 24;
    let count = u64::from(*table.get(3)?) | u64::from(*table.get(11)?) << 8;
    let count = if count == 0 { 1 << 16 } else { count };
    Some(Transfer { reads, at: block * BLOCK_BYTES, bytes: count * BLOCK_BYTES, address: word(regions(protocol))? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_table_say_what_was_written() {
        let one = Transfer { reads: true, at: 512 * 0x1234_5678_9abc, bytes: 1 << 20, address: 0x1_2345_6000 };
        let most = Transfer { reads: false, bytes: 32 << 20, ..one };
        for protocol in [Protocol::Ahci, Protocol::Sas] {
            assert_eq!(transfer(&table(&one, 31, protocol), protocol), Some(one));
            assert_eq!(transfer(&table(&most, 0, protocol), protocol), Some(most), "65536 blocks are written as 0");
            assert_eq!(transfer(&[0; MOST_TABLE], protocol), None);
            assert_eq!(transfer(&[COMMAND_FIS; 4], protocol), None, "it ends too soon");
        }
    }
}
