/** The rewards that a rollouts file holds, added up. */
import { MemberScan } from "../json/member_scan.ts";
import { KEYS } from "../record/keys.ts";
import { rewardIn } from "../record/reward.ts";

/** Counts of rows, and the sum of their rewards. */
export class Rewards {
  rows = 0;
  /** Of these, with a reward that is a number. */
  scored = 0;
  sum = 0;
  readonly #scan = new MemberScan([KEYS.reward]);

  /** Takes a row, which is JSON. */
  add(line: Uint8Array): void {
    this.rows++;
    this.#scan.scan(line);
    const reward = rewardIn(this.#scan.raw(0));
    if (reward === undefined) return;
    this.scored++;
    this.sum += reward;
  }
}
