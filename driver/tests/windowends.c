// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Card to card that ends otherwise: a signal, a kill, a reset or the removal of either card. */
#include "far.h"

static void reset_card(int card)
{
	char path[128];

	card_path(path, card, "reset");
	CHECK(!write_file(path, "1"));
}

static void unbind_card(int card)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/unbind", slots[card]));
}

static void bind_card(int card)
{
	CHECK(!write_file("/sys/bus/pci/drivers/lanescope/bind", slots[card]));
}

/* A transfer that waits for its frame, of which some has gone where @some. */
static struct frame waiting(struct way *way, int some)
{
	struct frame out, far;
	uint64_t before = info_of(way->back).descriptors;
	double begun = now();

	begin_transfer(&far, way->back, way->window, 0, FRAME);
	while (info_of(way->back).descriptors == before) {
		CHECK(now() - begun < FAR_S * patience());
		usleep(1000);
	}
	/* Less than a frame: its writer waits for room in the loopback, or has gone. */
	if (some) {
		begin(&out, way->out, way->from, 20000);
		pthread_detach(out.thread);
		usleep(20000 * patience());
	}
	return far;
}

/* What was under way tells it, the window is what it was or is dead, and frames go again. */
static void ends_card_to_card(void (*strike)(int card), void (*after)(int card), int struck, int error)
{
	struct frame far;
	struct way way;

	open_way(&way, 0);
	far = waiting(&way, 0);
	strike(struck);
	if (end(&far) != error)
		fail("card %d: %zd in place of %d", struck, far.result, error);
	if (after) {
		CHECK(transfer(way.back, way.window, 0, 100) == -ENODEV);
		after(struck);
		CHECK(transfer(way.back, way.window, 0, 100) == -ENODEV);
		close_way(&way);
		open_way(&way, 0);
	}
	far_trip(&way, 10000, 1, by_call);
	close_way(&way);
}

static void a_signal_ends_what_goes_card_to_card(void)
{
	struct way way;

	if (!is_connected())
		return;
	open_way(&way, 0);
	after_ms(200);
	CHECK(transfer(way.back, way.window, 0, FRAME) == -EINTR);
	after_ms(0);
	far_trip(&way, 10000, 1, by_call);
	close_way(&way);
}

static void a_killed_process_leaves_nothing_of_card_to_card_behind(void)
{
	struct way way;
	pid_t child;
	int status;

	if (!is_connected())
		return;
	open_way(&way, 0);
	child = fork();
	if (!child)
		_exit(transfer(way.back, way.window, 0, FRAME) < 0);
	usleep(200000 * patience());
	CHECK(!kill(child, SIGKILL) && waitpid(child, &status, 0) == child && WIFSIGNALED(status));
	far_trip(&way, 10000, 1, by_call);
	close_way(&way);
}

static void a_reset_of_either_card_ends_what_goes_card_to_card(void)
{
	if (!is_connected())
		return;
	for (int card = 0; card < CARDS; card++)
		ends_card_to_card(reset_card, NULL, card, -EIO);
}

static void unbinding_either_card_ends_what_goes_card_to_card(void)
{
	if (!is_connected())
		return;
	for (int card = 0; card < CARDS; card++)
		ends_card_to_card(unbind_card, bind_card, card, -ENODEV);
}

/* With bytes on their way: what has gone counts. Resets clear what either card holds of a broken frame. */
static void a_card_that_goes_while_bytes_do_ends_them_card_to_card(void)
{
	if (!is_connected())
		return;
	for (int i = 0; i < 4; i++) {
		int card = i % CARDS;
		struct frame far;
		struct way way;

		open_way(&way, 0);
		far = waiting(&way, 1);
		unbind_card(card);
		end(&far);
		CHECK(far.result == -ENODEV || (far.result > 0 && far.result < FRAME));
		bind_card(card);
		for (int j = 0; j < CARDS; j++)
			reset_card(j);
		close_way(&way);
		open_way(&way, 0);
		far_trip(&way, 10000, 1, by_call);
		close_way(&way);
	}
}

const struct test windowends_tests[] = {
	TEST(a_signal_ends_what_goes_card_to_card),
	TEST(a_killed_process_leaves_nothing_of_card_to_card_behind),
	TEST(a_reset_of_either_card_ends_what_goes_card_to_card),
	TEST(unbinding_either_card_ends_what_goes_card_to_card),
	TEST(a_card_that_goes_while_bytes_do_ends_them_card_to_card),
	{ 0 }
};
