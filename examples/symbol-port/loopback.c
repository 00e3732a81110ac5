/* A PHY that sends back what it is sent: `loopback listen|connect ADDRESS [LANES [SYMBOLS]]` (docs/symbol-port.md).
 * It has a clock where the MAC has one, so that a clock that is left out comes back as one. */
#include "symbol_port.h"

/* One lane: what was answered last. */
struct lane_phy {
    int settled, detecting;
};

/* PhyStatus and RxStatus: the end of a reset, a change of PowerDown or Rate, a receiver. */
static uint16_t answer(struct lane_phy *phy, unsigned mac, int reset)
{
    int settled = (int)(mac & (SP_POWER_DOWN | SP_RATE)), detect = mac & SP_DETECT && (mac & SP_POWER_DOWN) == 2;
    if (reset) {
        *phy = (struct lane_phy){.settled = -1};
        return SP_PHY_STATUS;
    }
    if (settled != phy->settled) {
        phy->settled = settled;
        return SP_PHY_STATUS;
    }
    int begun = detect && !phy->detecting;
    phy->detecting = detect;
    return begun ? SP_PHY_STATUS | SP_DETECTED : 0;
}

static int run(struct sp_port *port, long *clocks)
{
    struct lane_phy phys[SP_MAX_LANES];
    struct sp_frame said = {0}, back;
    for (int lane = 0; lane < SP_MAX_LANES; lane++)
        phys[lane] = (struct lane_phy){.settled = -1};
    for (long step = 1; !port->ended; step++) {
        back = (struct sp_frame){.flags = said.flags & SP_CLOCK};
        for (int lane = 0; said.flags & SP_CLOCK && lane < port->lanes; lane++) {
            int idle = said.wires[lane] & SP_ELEC_IDLE;
            back.wires[lane] = answer(&phys[lane], said.wires[lane], said.flags & SP_RESET) | (idle ? SP_ELEC_IDLE : SP_RX_VALID);
            if (!idle)
                memcpy(back.symbols[lane], said.symbols[lane], sizeof back.symbols[lane]);
        }
        *clocks += said.flags & SP_CLOCK;
        said = (struct sp_frame){0};
        if (sp_send(port, &back) || (step >= port->delay && sp_receive(port, &said)))
            return -1;
    }
    *clocks += said.flags & SP_CLOCK;
    return sp_send(port, &(struct sp_frame){.flags = SP_LAST});
}

int main(int count, char **words)
{
    if (count < 3 || count > 5 || (strcmp(words[1], "listen") && strcmp(words[1], "connect"))) {
        fprintf(stderr, "usage: loopback listen|connect HOST:PORT|unix:PATH [LANES [SYMBOLS]]\n");
        return 2;
    }
    struct sp_port port;
    long clocks = 0;
    int lanes = count > 3 ? atoi(words[3]) : 1, symbols = count > 4 ? atoi(words[4]) : 2;
    if (sp_open(&port, words[2], !strcmp(words[1], "listen"), SP_PHY, lanes, symbols, 1) || run(&port, &clocks)) {
        fprintf(stderr, "loopback: %s\n", port.why);
        return 1;
    }
    printf("%ld clocks\n", clocks);
    return close(port.fd);
}
