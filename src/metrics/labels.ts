/** What the groups are called in the metrics file. */

/** A group, as far as its label needs it. */
export interface Labelled {
  /** Its server; no two have the same. */
  readonly server: string;
  /** The agent that ran it, where there is one. */
  readonly agent?: string | undefined;
}

/**
 * A group's label is its agent's name if that agent ran in only one of the groups and no other label is the same,
 * otherwise its server's name. The rule is Gym's, and does not depend on the order.
 */
export function labelsOf(groups: readonly Labelled[]): string[] {
  const labels = groups.map(({ server, agent }) => {
    const alone = groups.filter((other) => other.agent === agent).length === 1;
    return agent !== undefined && alone ? agent : server;
  });
  for (let changed = true; changed;) {
    const counts = new Map<string, number>();
    for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
    changed = false;
    for (const [index, { server }] of groups.entries()) {
      if (counts.get(labels[index]!) === 1 || labels[index] === server) continue;
      labels[index] = server;
      changed = true;
    }
  }
  return labels;
}
