/** The one rule for rewards, and that live means, counts and metrics all go by it. */
import assert from "node:assert/strict";
import { Live } from "../../src/collect/live_means.ts";
import { readObject } from "../../src/json/object.ts";
import { rewardOf } from "../../src/record/reward.ts";
import { rollout, scoring } from "../metrics/_shards.ts";

/** JSON of a result's `reward` member (or members), and the reward. */
const REWARDS: readonly (readonly [json: string, reward: number | undefined])[] = [
  [`"reward":1`, 1],
  [`"reward":-0.25`, -0.25],
  [`"reward":1e308`, 1e308],
  [`"reward":true`, 1],
  [`"reward":false`, 0],
  [`"reward":1e400`, undefined],
  [`"reward":-1e400`, undefined],
  [`"reward":null`, undefined],
  [`"reward":"1"`, undefined],
  [`"reward":{"value":1}`, undefined],
  [`"reward":[1]`, undefined],
  [`"rewards":1`, undefined],
  [`"reward":0,"reward":1`, 1],
  [`"reward":"no","reward":true`, 1],
  [`"reward":1,"reward":"no"`, undefined],
];

for (const [json, reward] of REWARDS) {
  const rest = JSON.stringify(rollout(0, 0, { reward: undefined })).slice(1);
  const line = `{${json},${rest}`;

  Deno.test(`the reward of {${json}} is ${reward ?? "none"}, for live means and metrics alike`, async () => {
    const result = readObject(new TextEncoder().encode(line));
    assert.equal(rewardOf(result), reward);

    const live = new Live([{ name: "solver", owed: 1 }]);
    live.on({
      kind: "settled",
      id: { task: 0, rollout: 0 },
      route: 0,
      became: "done",
      failure: null,
      recorded: true,
      final: false,
      scored: true,
      result,
    });
    const [means] = live.means(1);
    assert.deepEqual([means!.scored, means!.means.reward], [reward === undefined ? 0 : 1, reward]);

    const { scored, metrics } = await scoring([{}], {
      scorers: null,
      files(files) {
        const file = files.append("/runs/s0.jsonl");
        file.write(new TextEncoder().encode(`${line}\n`));
        file.close();
      },
    });
    const [{ agent_metrics, group_level_metrics }] = metrics as [
      { agent_metrics: Record<string, number>; group_level_metrics: { rollout_infos: object[] }[] },
    ];
    assert.equal(agent_metrics["mean/reward"], reward);
    assert.equal((group_level_metrics[0]!.rollout_infos[0] as { reward?: unknown }).reward, reward);
    assert.equal(scored.unscored, reward === undefined ? 1 : 0);
  });
}
