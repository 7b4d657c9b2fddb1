/** How deep values are nested: what walks them afterwards is recursive, and a stack ends. */

/** Maps and lists in one another, in whatever people write by hand; anything deeper is refused. */
export const DEEPEST = 100;

/** Whether maps and lists stand in one another more than `most` times; one that contains itself does. */
export function isDeeperThan(value: unknown, most: number): boolean {
  let level = [value].filter(isContainer);
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === most) return true;
    // Each once: aliases make many ways to one value.
    level = [...new Set(level.flatMap((container) => Object.values(container).filter(isContainer)))];
  }
  return false;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}
