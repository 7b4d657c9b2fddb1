/** The machine's clock and dice. */
import type { Clock, Dice } from "../ports/clock.ts";

/** The longest that a timer of the runtime takes; longer waits are waited in parts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** {@link Clock} over the runtime's monotonic clock, which a change of the wall clock does not move. */
export const denoClock: Clock = {
  now: () => performance.now(),
  date: () => new Date(),
  after(ms, call) {
    let timer: ReturnType<typeof setTimeout>;
    const wait = (left: number) => {
      const part = Math.min(left, LONGEST_TIMER_MS);
      timer = setTimeout(() => left > part ? wait(left - part) : call(), part);
    };
    wait(Math.max(0, ms));
    return () => clearTimeout(timer);
  },
};

/** Random numbers of the runtime. */
export const denoDice: Dice = () => Math.random();
