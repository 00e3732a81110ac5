// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Card to card that ends otherwise: a signal, a kill, a reset or the removal of either card. */
#include "far.h"
#include "lent.h"

enum { HALF = 30000 };

/* What was under way tells it, the window is what it was or is dead, and frames go again. */
static void ends_card_to_card(void (*strike)(int card), void (*after)(int card), int struck, int error)
{
	struct frame far;
	struct way way;

	open_way(&way, 0);
	begin_waiting(&far, &way);
	strike(struck);
	if (end_soon(&far) != error)
		fail("card %d: %zd in place of %d", struck, far.result, error);
	if (after) {
		CHECK(transfer(way.back, way.window, 0, 100) == -ENODEV);
		after(struck);
		CHECK(transfer(way.back, way.window, 0, 100) == -ENODEV);
		close_way(&way);
		/* A window that is open keeps the number of its card, as a file does: to have it again, once more. */
		strike(struck);
		after(struck);
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

/* With a part of a frame gone, which counts. Resets clear what either card holds of it. */
static void a_card_that_goes_with_half_a_frame_gone_ends_it_card_to_card(void)
{
	if (!is_connected())
		return;
	for (int i = 0; i < 4; i++) {
		int card = i % CARDS;
		struct frame far;
		struct lent out;
		struct way way;

		open_way(&way, 0);
		allow_ring_mode(1);
		take(&out, 0, 0, 0, 1, 0);
		begin_waiting(&far, &way);
		CHECK(lanescope_put(&out.queue, &out.memory, 0, HALF, 1, LANESCOPE_MORE) > 0);
		lanescope_submit(&out.queue);
		while (next_done(&out).last != 1)
			;
		usleep(20000 * patience());
		unbind_card(card);
		end_soon(&far);
		printf("card %d goes: of %d bytes card to card, %zd had gone\n", card, HALF, far.result);
		/* An engine that is stopped ends the frame that it had begun by a byte of its own. */
		CHECK(far.result > 0 && far.result <= HALF + !card);
		give_back(&out);
		allow_ring_mode(0);
		close_way(&way);
		bind_card(card);
		for (int j = 0; j < CARDS; j++)
			reset_card(j);
		open_way(&way, 0);
		far_trip(&way, 10000, 1, by_call);
		close_way(&way);
	}
}

/* Of a device that writes to the window, and does not tell when it has ended. */
static void a_fence_of_others_does_not_hold_up_a_reset_card_to_card(void)
{
	int device = open("/dev/ls_slow", O_RDWR | O_CLOEXEC);
	struct way way;
	double begun;

	if (!is_connected())
		return;
	open_way(&way, 0);
	CHECK(device >= 0 && !ioctl(device, 1, way.window));
	CHECK(!write_file("/sys/module/lanescope/parameters/fence_seconds", "1"));
	begun = now();
	for (int card = 0; card < CARDS; card++)
		reset_card(card);
	CHECK(now() - begun < 10 * patience());
	CHECK(log_has("others may still write to its window"));
	CHECK(!write_file("/sys/module/lanescope/parameters/fence_seconds", "10"));
	close_way(&way);
	close(device);
	open_way(&way, 0);
	far_trip(&way, 10000, 1, by_call);
	close_way(&way);
}

const struct test windowends_tests[] = {
	TEST(a_signal_ends_what_goes_card_to_card),
	TEST(a_killed_process_leaves_nothing_of_card_to_card_behind),
	TEST(a_reset_of_either_card_ends_what_goes_card_to_card),
	TEST(a_fence_of_others_does_not_hold_up_a_reset_card_to_card),
	TEST(unbinding_either_card_ends_what_goes_card_to_card),
	TEST(a_card_that_goes_with_half_a_frame_gone_ends_it_card_to_card),
	{ 0 }
};
