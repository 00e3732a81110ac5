// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Whether a card masters the bus, which says what pages may be let go. */
#include <linux/pci.h>

#include "core/ls_core.h"

/**
 * ls_bus_off - takes the bus from a card
 * @ls: card
 *
 * What it has written before is in memory then, ahead of the answer to the load of its Command
 * register. A card that is not there reads all ones, and has no link to write by.
 */
void ls_bus_off(struct ls_device *ls)
{
	u16 command = ~0;

	pci_clear_master(ls->pdev);
	pci_read_config_word(ls->pdev, PCI_COMMAND, &command);
	if (command == (u16)~0 || !(command & PCI_COMMAND_MASTER)) {
		WRITE_ONCE(ls->bus, LS_BUS_OFF);
		return;
	}
	dev_err(&ls->pdev->dev, "does not let go of the bus\n");
	WRITE_ONCE(ls->bus, LS_BUS_STUCK);
}

/**
 * ls_bus_on - gives it back
 * @ls: card, whose engine was just reset
 */
void ls_bus_on(struct ls_device *ls)
{
	pci_set_master(ls->pdev);
	WRITE_ONCE(ls->bus, LS_BUS_ON);
}
