/** The machine's clock and random numbers. */
import type { Clock, Dice } from "../ports/clock.ts";

/** The longest delay of a timer; longer waits are split. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** {@link Clock} over the runtime's monotonic clock, which a change of the wall clock does not move. */
export const denoClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, call) {
    let timer: ReturnType<typeof setTimeout>, isCancelled = false;
    const wait = (left: number) => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => {
        // The runtime still calls a timer that is cleared in the very turn in which it is due.
        if (isCancelled) return;
        if (left > part) wait(left - part);
        else call();
      }, part);
    };
    wait(Math.max(0, ms));
    return () => {
      isCancelled = true;
      clearTimeout(timer);
    };
  },
};

/** Random numbers of the runtime. */
export const denoDice: Dice = () => Math.random();
